// Checks what only linkers take: host objects and archives of them. What is inside stays theirs.
#pragma once

#include "container/byte_view.hpp"

namespace cucore::container {

/// ELF64 relocatable or COFF. @throws Error INVALID_CODE
void check_object(ByteView image);

/// An archive: "!<arch>", then members that fill it. @throws Error INVALID_CODE
void check_library(ByteView image);

/// What a host object or an archive carries for devices, as nvcc names its sections.
enum class DeviceCode {
  NONE,         ///< none that is known of: host code alone, or COFF
  LINKED,       ///< nvcc -c: whole programs, which no linker takes
  RELOCATABLE,  ///< nvcc -dc
};
DeviceCode device_code_of_object(ByteView image);
/// RELOCATABLE where one member is.
DeviceCode device_code_of_library(ByteView image);

bool looks_like_coff(std::span<const std::byte> bytes);

}  // namespace cucore::container
