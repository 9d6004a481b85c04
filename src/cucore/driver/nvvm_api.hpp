// SPDX-License-Identifier: Apache-2.0
// The part of libNVVM's C ABI that the library calls. It is declared here because the CUDA headers
// in distributions lack nvvm.h. Source: libNVVM API 13.0, "libNVVM API", chapters "Error Handling",
// "General Information Query" and "Compilation".
#pragma once

#include <cstddef>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names of libNVVM.
enum nvvmResult {
  NVVM_SUCCESS = 0,
  NVVM_ERROR_OUT_OF_MEMORY = 1,
  NVVM_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVVM_ERROR_IR_VERSION_MISMATCH = 3,
  NVVM_ERROR_INVALID_INPUT = 4,
  NVVM_ERROR_INVALID_PROGRAM = 5,
  NVVM_ERROR_INVALID_IR = 6,
  NVVM_ERROR_INVALID_OPTION = 7,
  NVVM_ERROR_NO_MODULE_IN_PROGRAM = 8,
  NVVM_ERROR_COMPILATION = 9,
  NVVM_ERROR_CANCELLED = 10
};

using nvvmProgram = struct _nvvmProgram*;

nvvmResult nvvmVersion(int* major, int* minor);
nvvmResult nvvmIRVersion(int* ir_major, int* ir_minor, int* debug_major, int* debug_minor);
nvvmResult nvvmCreateProgram(nvvmProgram* program);
nvvmResult nvvmDestroyProgram(nvvmProgram* program);
nvvmResult nvvmAddModuleToProgram(nvvmProgram program, const char* data, std::size_t size,
                                  const char* name);
nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram program, const char* data, std::size_t size,
                                      const char* name);
nvvmResult nvvmVerifyProgram(nvvmProgram program, int option_count, const char** options);
nvvmResult nvvmCompileProgram(nvvmProgram program, int option_count, const char** options);
nvvmResult nvvmGetCompiledResultSize(nvvmProgram program, std::size_t* size);
nvvmResult nvvmGetCompiledResult(nvvmProgram program, char* data);
nvvmResult nvvmGetProgramLogSize(nvvmProgram program, std::size_t* size);
nvvmResult nvvmGetProgramLog(nvvmProgram program, char* log);

// NOLINTEND(readability-identifier-naming)
}  // extern "C"
