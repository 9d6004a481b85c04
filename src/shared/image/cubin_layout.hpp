// SPDX-License-Identifier: Apache-2.0
// Numbers and names that only CUDA's ELF files have.
#pragma once

#include <cstdint>
#include <string_view>

namespace cucore::image {

inline constexpr uint32_t SECTION_CUDA_INFO = 0x70000000;
inline constexpr uint32_t SECTION_MERCURY_CODE = 0x70000016;
inline constexpr uint32_t SECTION_MERCURY_SYMBOLS = 0x70000085;
inline constexpr uint64_t FLAG_ALLOCATED = 2;
inline constexpr uint64_t FLAG_CODE = 4;
inline constexpr uint8_t OTHER_ENTRY = 0x10;    // st_other: the function is a kernel
inline constexpr uint8_t OTHER_MANAGED = 0x04;  // st_other: the object is managed memory
inline constexpr unsigned SYMBOL_OBJECT = 1;
inline constexpr unsigned SYMBOL_FUNCTION = 2;
inline constexpr unsigned SYMBOL_CUDA_OBJECT = 13;  // objects of relocatable code
inline constexpr std::string_view CODE_PREFIX = ".text.";

}  // namespace cucore::image
