// SPDX-License-Identifier: Apache-2.0
// The functions of the fake driver, one per entry point of the library's table: the compiler
// refuses a missing function or another type.
#pragma once

#include <cuda.h>

#include <type_traits>

#include "driver/newer.hpp"

namespace fake::api {

#define ENTRY(name, since, need) std::remove_pointer_t<decltype(&::name)> name;
#include "driver/cuda_entry_points.inc"
#undef ENTRY
#define OLDER(name, entry, since, ...) std::remove_pointer_t<__VA_ARGS__> name;
#include "driver/older_entry_points.inc"
#undef OLDER

}  // namespace fake::api
