// SPDX-License-Identifier: Apache-2.0
// The driver's linker. The names without _v2 are the first ABI, which has the same arguments.
#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/control.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/link.hpp"

namespace cucore::cpu::api {
namespace {

std::shared_ptr<Link> find_link(CUlinkState state) { return lookup<Link>(state); }

CUresult add_to_link(Link& link, LinkPart part, unsigned count, CUjit_option* options,
                     void** values) {
  JitOptions of_input(count, options, values);
  return link.add(std::move(part), of_input);
}

bool is_input_type(CUjitInputType type) { return type >= 0 && type < CU_JIT_NUM_INPUT_TYPES; }

}  // namespace

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues,
                         CUlinkState* stateOut) {
  require(stateOut != nullptr);
  JitOptions jit(numOptions, options, optionValues);
  require(jit.target() == 0 || jit.target() >= 10);
  const int sm = jit.target() ? jit.target() : current_context()->device().profile().sm();
  *stateOut = new_handle<CUlinkState>(std::make_shared<Link>(jit, sm));
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size,
                          const char* name, unsigned int numOptions, CUjit_option* options,
                          void** optionValues) {
  auto link = find_link(state);
  require(is_input_type(type) && data && size);
  return add_to_link(*link, {type, data, size, name ? name : "", true}, numOptions, options,
                     optionValues);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path,
                          unsigned int numOptions, CUjit_option* options, void** optionValues) {
  auto link = find_link(state);
  require(is_input_type(type) && path);
  std::string bytes;
  if (CUresult code = read_image_file(path, bytes); code != CUDA_SUCCESS)
    return link->add_failed(code, std::string(path) + " cannot be read\n");
  return add_to_link(*link, {type, bytes.data(), bytes.size(), path}, numOptions, options,
                     optionValues);
}

CUresult cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  auto link = find_link(state);
  require(cubinOut != nullptr);
  return link->complete(cubinOut, sizeOut);
}

CUresult cuLinkDestroy(CUlinkState state) {
  auto link = find_link(state);
  require(Registry::instance().remove(ObjectKind::LINK, link->handle_bits()) != nullptr,
          CUDA_ERROR_INVALID_HANDLE);
  return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option* options, void** optionValues,
                      CUlinkState* stateOut) {
  return api::cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size,
                       const char* name, unsigned int numOptions, CUjit_option* options,
                       void** optionValues) {
  return api::cuLinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path,
                       unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return api::cuLinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}

}  // namespace cucore::cpu::api
