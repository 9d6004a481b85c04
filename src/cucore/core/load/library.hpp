// SPDX-License-Identifier: Apache-2.0
// The user's functions for the libraries that are opened at run time.
#pragma once

#include "driver/cuda.hpp"
#include "driver/library_info.hpp"

namespace cucore::core {

using driver::Library;
using driver::LibraryInfo;

inline LibraryInfo query_library(Library library) { return driver::query(library); }
inline void set_library_path(Library library, std::string_view path) {
  driver::set_path(library, path);
}
inline void* find_library_symbol(Library library, const char* name) {
  return driver::find_symbol(library, name);
}
inline void select_driver(std::string_view name_or_path) { driver::select_driver(name_or_path); }

}  // namespace cucore::core
