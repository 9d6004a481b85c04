// SPDX-License-Identifier: Apache-2.0
// libnvJitLink.so of the folder compat: passes all calls on to NVIDIA's nvJitLink. When a program
// receives a linked CUBIN, the CPU device receives the PTX of the same link.
#include <cstdint>

#include "cpu/driver/compat/forward.hpp"
#include "cpu/driver/compat/link_records.hpp"

namespace cucore::compat {
namespace {

constexpr int NVJITLINK_ERROR_INTERNAL = 6;

constinit RealLibrary nvjitlink({"CUCORE_NVJITLINK", CUCORE_COMPAT_FILE, "libnvJitLink.so"});

// The real functions behind the hooks, by the name that the program called.
struct Call {
  const char* name;
  template <class... A>
  int operator()(A... arguments) const {
    const auto function = reinterpret_cast<int (*)(A...)>(nvjitlink.function(name));
    return function ? function(arguments...) : NVJITLINK_ERROR_INTERNAL;
  }
};

// Recording must not make a link fail.
template <class F>
void quietly(F&& action) noexcept {
  try {
    action();
  } catch (...) {
  }
}

int Create(Call real, void** link, uint32_t count, const char** options) {
  const int result = real(link, count, options);
  if (result == 0) quietly([&] { LinkRecords::instance().begin(*link, count, options); });
  return result;
}

int Destroy(Call real, void** link) {
  void* gone = link ? *link : nullptr;
  const int result = real(link);
  if (result == 0) quietly([&] { LinkRecords::instance().end(gone); });
  return result;
}

int AddData(Call real, void* link, int type, const void* data, size_t size, const char* name) {
  const int result = real(link, type, data, size, name);
  if (result == 0 && data) {
    quietly([&] {
      const auto* bytes = static_cast<const char*>(data);
      LinkRecords::instance().add(link, {type, {bytes, bytes + size}, name ? name : "", false});
    });
  }
  return result;
}

int AddFile(Call real, void* link, int type, const char* path) {
  const int result = real(link, type, path);
  if (result == 0 && path)
    quietly([&] { LinkRecords::instance().add(link, {type, {}, path, true}); });
  return result;
}

int GetLinkedCubin(Call real, void* link, void* cubin) {
  const int result = real(link, cubin);
  if (result == 0 && cubin)
    quietly([&] { LinkRecords::instance().remember(link, cubin, nvjitlink); });
  return result;
}

}  // namespace
}  // namespace cucore::compat

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's names.
#define PASS_ON(name, ...) \
  COMPAT_FORWARD(cucore::compat::nvjitlink, name, cucore::compat::NVJITLINK_ERROR_INTERNAL)
#define UNPACK(...) __VA_ARGS__
#define CALL(full_name, name, params, args)                                     \
  COMPAT_EXPORT int full_name params {                                          \
    return cucore::compat::name(cucore::compat::Call{#full_name}, UNPACK args); \
  }

// The headers of each release of CUDA 13 call names of their own.
#define RELEASES(DO, name, ...)             \
  DO(__nvJitLink##name##_13_0, __VA_ARGS__) \
  DO(__nvJitLink##name##_13_1, __VA_ARGS__) \
  DO(__nvJitLink##name##_13_2, __VA_ARGS__) \
  DO(__nvJitLink##name##_13_3, __VA_ARGS__) DO(__nvJitLink##name##_13_4, __VA_ARGS__)

#define FORWARD(name) PASS_ON(nvJitLink##name, ) RELEASES(PASS_ON, name, )
#define HOOK(name, params, args)            \
  CALL(nvJitLink##name, name, params, args) \
  RELEASES(CALL, name, name, params, args)
#include "cpu/driver/compat/nvjitlink_names.inc"
#undef FORWARD
#undef HOOK
PASS_ON(nvJitLinkVersion, )
PASS_ON(__nvJitLinkAPI, )
// NOLINTEND(readability-identifier-naming)
