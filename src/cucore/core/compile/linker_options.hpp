// SPDX-License-Identifier: Apache-2.0
// The public options of a linker as internal values, for both backends.
#pragma once

#include <cucore.h>

#include <string>
#include <vector>

#include "image/arch.hpp"

namespace cucore::core {

struct LinkerOptions {
  std::string name;  // "": that of the first input
  image::Arch arch;  // empty: the default
  cucore_toggle lto = CUCORE_TOGGLE_DEFAULT;
  cucore_toggle ptx = CUCORE_TOGGLE_DEFAULT;
  bool cache = false;
  // nvJitLink's command line except -arch, -lto, -ptx and -no-cache.
  std::vector<std::string> flags;
  // The fields that became flags and that the driver's linker does not support.
  std::vector<std::string> nvjitlink_only;
  // Options of the driver's linker.
  int32_t max_register_count = 0;
  int optimization_level = -1;  // -1: its default
  bool debug = false, lineinfo = false, verbose = false;
};

// Throws INVALID_ARGUMENT with the field that is out of range; `options_name` is the struct of the
// user, "cucore_linker_options".
LinkerOptions read_linker_options(const cucore_linker_options& options, const char* options_name);

}  // namespace cucore::core
