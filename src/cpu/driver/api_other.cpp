// SPDX-License-Identifier: Apache-2.0
// The linker, which the CPU device does not have, and the profiler switches.
#include "cpu/driver/api.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/jit_options.hpp"

namespace cucore::cpu::api {
namespace {

constexpr const char* NO_LINKER =
    "the CPU device has no linker: link LTO-IR with nvJitLink -lto -ptx and load the PTX\n";

CUresult no_linker() {
  note_load_log(NO_LINKER);
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues,
                         CUlinkState* stateOut) {
  require(stateOut != nullptr);
  JitOptions jit(numOptions, options, optionValues);
  jit.write_error_log(NO_LINKER);
  return no_linker();
}

CUresult cuLinkAddData_v2(CUlinkState, CUjitInputType, void*, size_t, const char*, unsigned int,
                          CUjit_option*, void**) {
  return no_linker();
}

CUresult cuLinkAddFile_v2(CUlinkState, CUjitInputType, const char*, unsigned int, CUjit_option*,
                          void**) {
  return no_linker();
}

CUresult cuLinkComplete(CUlinkState, void**, size_t*) { return no_linker(); }
CUresult cuLinkDestroy(CUlinkState) { return no_linker(); }

CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

}  // namespace cucore::cpu::api
