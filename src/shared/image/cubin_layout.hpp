// Numbers and names that only CUDA's ELF files have.
#pragma once

#include <cstdint>
#include <string_view>

namespace cucore::image {

inline constexpr uint32_t kSectionCudaInfo = 0x70000000;
inline constexpr uint64_t kFlagAllocated = 2;
inline constexpr uint64_t kFlagCode = 4;
inline constexpr uint8_t kOtherEntry = 0x10;    // st_other: the function is a kernel
inline constexpr uint8_t kOtherManaged = 0x04;  // st_other: the object is managed memory
inline constexpr unsigned kSymbolObject = 1;
inline constexpr unsigned kSymbolFunction = 2;
inline constexpr unsigned kSymbolCudaObject = 13;  // objects of relocatable code
inline constexpr std::string_view kCodePrefix = ".text.";

}  // namespace cucore::image
