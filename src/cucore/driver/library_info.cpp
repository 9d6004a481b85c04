// SPDX-License-Identifier: Apache-2.0
#include "driver/library_info.hpp"

#include <dlfcn.h>

#include <string>

#include "driver/cuda.hpp"
#include "driver/nvjitlink_state.hpp"
#include "driver/nvrtc_state.hpp"
#include "driver/nvvm_state.hpp"
#include "driver/plain_library.hpp"
#include "driver/toolkit_headers.hpp"
#include "support/interned.hpp"
#include "support/join.hpp"

namespace cucore::driver {
namespace {

// An open library of any kind.
struct OpenLibrary {
  const char* title;
  const std::string& path;
  int version_major;
  int version_minor;
  void* handle;
};

template <class Table>
OpenLibrary open(const char* title, const Table& table, void* handle) {
  return {title, table.path, table.version / 1000, table.version % 1000 / 10, handle};
}

OpenLibrary open(ToolkitTable<PlainTable>& state) {
  const PlainTable& table = state.get();
  return {state.title(), table.path, table.version_major, table.version_minor, state.handle()};
}

[[noreturn]] void throw_unknown(Library library) {
  throw Error(Status::INVALID_ARGUMENT, "library is " + std::to_string(static_cast<int>(library)) +
                                            "; expected a number of cucore_library");
}

// Opens the library if it is not open yet.
OpenLibrary open(Library library) {
  switch (library) {
    case Library::DRIVER:
      return open("the driver", cuda(), cuda().library);
    case Library::NVRTC:
      return open(nvrtc_state().title(), nvrtc(), nvrtc_state().handle());
    case Library::NVJITLINK:
      return open(nvjitlink_state().title(), nvjitlink(), nvjitlink_state().handle());
    case Library::NVVM:
      return open(nvvm_state().title(), nvvm(), nvvm_state().handle());
    default:
      if (auto* state = plain_state(library)) return open(*state);
      throw_unknown(library);
  }
}

void* find_in_driver(const CudaTable& driver, const char* name) {
  if (void* found = dlsym(driver.library, name)) return found;
  // Not exported in a driver that returns its functions only through this one.
  const auto get =
      reinterpret_cast<decltype(&::cuGetProcAddress)>(dlsym(driver.library, "cuGetProcAddress_v2"));
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  const CUresult result =
      get(name, &found, driver.version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status);
  return result == CUDA_SUCCESS ? found : nullptr;
}

void* find_in(Library library, void* handle, const char* name) {
  if (library == Library::DRIVER) return find_in_driver(cuda(), name);
  if (library == Library::NVJITLINK) return find_nvjitlink_symbol(handle, name);
  return dlsym(handle, name);
}

}  // namespace

// A missing library is a result here, not a failure; other errors, such as exhausted memory, are
// failures.
LibraryInfo query(Library library) {
  if (static_cast<int>(library) < 1 || library > Library::NVML) throw_unknown(library);
  try {
    const OpenLibrary opened = open(library);
    LibraryInfo info{interned(opened.path), opened.version_major, opened.version_minor, true};
    if (library == Library::NVRTC)
      info.header_folders = interned(join(toolkit_headers().folders, ":"));
    return info;
  } catch (const Error& error) {
    LibraryInfo info;
    info.reason = interned(error.message());
    return info;
  }
}

void set_path(Library library, std::string_view path) {
  if (path.empty())
    throw Error(Status::INVALID_ARGUMENT, "cannot set a library's path: it is empty");
  if (library == Library::NVRTC) return nvrtc_state().set_path(path);
  if (library == Library::NVJITLINK) return nvjitlink_state().set_path(path);
  if (library == Library::NVVM) return nvvm_state().set_path(path);
  if (auto* state = plain_state(library)) return state->set_path(path);
  if (library != Library::DRIVER) throw_unknown(library);
  throw Error(Status::INVALID_ARGUMENT,
              "cannot set the driver's path: choose it with cucore_driver_select");
}

void* find_symbol(Library library, const char* name) {
  const OpenLibrary opened = open(library);
  if (void* found = find_in(library, opened.handle, name)) return found;
  throw Error(Status::NOT_FOUND, std::string("cannot find '") + name + "' in " + opened.title +
                                     " " + std::to_string(opened.version_major) + "." +
                                     std::to_string(opened.version_minor) + " (" + opened.path +
                                     "): correct the name, or use a version that has it");
}

}  // namespace cucore::driver
