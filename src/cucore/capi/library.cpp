// SPDX-License-Identifier: Apache-2.0
#include "core/load/library.hpp"

#include <cstddef>

#include "capi/guard.hpp"
#include "support/concat.hpp"

namespace cucore::capi {
namespace {

constexpr size_t FIRST_LIBRARY_INFO = offsetof(cucore_library_info, reason) + sizeof(const char*);

#define SAME(name) static_assert(CUCORE_LIBRARY_##name == static_cast<int>(core::Library::name))
SAME(DRIVER);
SAME(NVRTC);
SAME(NVJITLINK);
SAME(NVVM);
SAME(CUBLAS);
SAME(CUBLASLT);
SAME(CUFFT);
SAME(CUSOLVER);
SAME(CURAND);
SAME(CUSPARSE);
SAME(NCCL);
SAME(CUPTI);
SAME(NVML);
#undef SAME

core::Library require_library(cucore_library library) {
  if (library < CUCORE_LIBRARY_DRIVER || library > CUCORE_LIBRARY_NVML)
    throw Error(Status::INVALID_ARGUMENT,
                concat("library is ", static_cast<int>(library), ", not a cucore_library"));
  return static_cast<core::Library>(library);
}

cucore_library_info to_c(const core::LibraryInfo& info) {
  return {.struct_size = 0,
          .path = info.path,
          .version_major = info.version_major,
          .version_minor = info.version_minor,
          .available = info.available,
          .reason = info.reason,
          .header_folders = info.header_folders};
}

}  // namespace
}  // namespace cucore::capi

using namespace cucore::capi;
namespace core = cucore::core;

extern "C" {

CUCORE_API cucore_status cucore_library_query(cucore_library library, cucore_library_info* out,
                                              cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_LIBRARY_INFO);
    const core::Library which = require_library(library);
    cucore::write_info(out, cucore_library_info{}, FIRST_LIBRARY_INFO, "cucore_library_info");
    cucore::write_info(out, to_c(core::query_library(which)), FIRST_LIBRARY_INFO,
                       "cucore_library_info");
  });
}

CUCORE_API cucore_status cucore_library_set_path(cucore_library library, const char* path,
                                                 cucore_error** error) {
  return guard(error,
               [&] { core::set_library_path(require_library(library), require(path, "path")); });
}

CUCORE_API cucore_status cucore_library_symbol(cucore_library library, const char* name, void** out,
                                               cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = core::find_library_symbol(require_library(library), require(name, "name"));
  });
}

CUCORE_API cucore_status cucore_driver_select(const char* name_or_path, cucore_error** error) {
  return guard(error, [&] { core::select_driver(require(name_or_path, "name_or_path")); });
}

}  // extern "C"
