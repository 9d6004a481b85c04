// SPDX-License-Identifier: Apache-2.0
// libnvrtc.so of the folder compat: passes all calls on to NVIDIA's NVRTC. When a program receives
// a CUBIN, the PTX of the same compile goes to the CPU device.
#include <string>

#include "cpu/driver/compat/device_code.hpp"
#include "cpu/driver/compat/forward.hpp"

namespace cucore::compat {
namespace {

constexpr int NVRTC_SUCCESS = 0;
constexpr int NVRTC_ERROR_INTERNAL_ERROR = 11;

constinit RealLibrary nvrtc({"CUCORE_NVRTC", CUCORE_COMPAT_FILE, "libnvrtc.so"});

using GetSize = int (*)(void* program, size_t* size);
using GetText = int (*)(void* program, char* text);

// Returns what nvrtcGet<what> returns; "" without it.
std::string text_of(void* program, const char* size_name, const char* name) {
  const auto get_size = reinterpret_cast<GetSize>(nvrtc.function(size_name));
  const auto get = reinterpret_cast<GetText>(nvrtc.function(name));
  size_t size = 0;
  if (!get_size || !get || get_size(program, &size) != NVRTC_SUCCESS || size < 2) return {};
  std::string text(size, '\0');
  return get(program, text.data()) == NVRTC_SUCCESS ? text : std::string();
}

void remember(void* program, const char* cubin) {
  const cucore_cpu_code* device = device_code();
  const auto get_size = reinterpret_cast<GetSize>(nvrtc.function("nvrtcGetCUBINSize"));
  size_t size = 0;
  if (!device || !get_size || get_size(program, &size) != NVRTC_SUCCESS) return;
  const std::string ptx = text_of(program, "nvrtcGetPTXSize", "nvrtcGetPTX");
  if (!ptx.empty()) device->remember_ptx(cubin, size, ptx.data(), ptx.size());
}

}  // namespace
}  // namespace cucore::compat

#define FORWARD(name) \
  COMPAT_FORWARD(cucore::compat::nvrtc, name, cucore::compat::NVRTC_ERROR_INTERNAL_ERROR)
#include "cpu/driver/compat/nvrtc_names.inc"
#undef FORWARD

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's names.
COMPAT_EXPORT int nvrtcGetCUBIN(void* program, char* cubin) {
  using namespace cucore::compat;
  const auto get = reinterpret_cast<GetText>(nvrtc.function("nvrtcGetCUBIN"));
  const int result = get ? get(program, cubin) : NVRTC_ERROR_INTERNAL_ERROR;
  try {
    if (result == NVRTC_SUCCESS && cubin) remember(program, cubin);
  } catch (...) {  // without memory, the CUBIN stays unknown
  }
  return result;
}

COMPAT_EXPORT const char* nvrtcGetErrorString(int result) {
  using namespace cucore::compat;
  using GetString = const char* (*)(int);
  const auto get = reinterpret_cast<GetString>(nvrtc.function("nvrtcGetErrorString"));
  if (get) return get(result);
  return CUCORE_COMPAT_FILE " of NVIDIA is not found; set CUCORE_NVRTC to its file";
}
// NOLINTEND(readability-identifier-naming)
