// SPDX-License-Identifier: Apache-2.0
// Checks what only linkers take: host objects and archives of them. What is inside stays theirs.
#pragma once

#include <functional>

#include "image/byte_view.hpp"

namespace cucore::image {

// ELF64 relocatable or COFF. @throws Error INVALID_CODE
void check_object(ByteView image);

// An archive: "!<arch>", then members that fill it. @throws Error INVALID_CODE
void check_library(ByteView image);

// What a host object or an archive carries for devices, as nvcc names its sections.
enum class DeviceCode {
  NONE,         // none that is known of: host code alone, or COFF
  LINKED,       // nvcc -c: whole programs, which no linker takes
  RELOCATABLE,  // nvcc -dc
};
DeviceCode device_code_of_object(ByteView image);
// RELOCATABLE where one member is.
DeviceCode device_code_of_library(ByteView image);

// Calls for each fat binary of relocatable code that an ELF object carries.
// @throws Error INVALID_CODE
void each_relocatable_fatbin(ByteView object,
                             const std::function<void(const ByteView& fatbin)>& action);

// Calls for each member of an archive with its name; the tables of the archive itself are left
// out.
// @throws Error INVALID_CODE
void each_member(ByteView archive,
                 const std::function<void(std::string_view name, const ByteView& member)>& action);

bool looks_like_coff(std::span<const std::byte> bytes);

}  // namespace cucore::image
