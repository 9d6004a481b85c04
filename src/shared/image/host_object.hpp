// SPDX-License-Identifier: Apache-2.0
// Checks the kinds that only linkers take: host objects and archives of them. The content of their
// sections is left to the linker.
#pragma once

#include <functional>

#include "image/byte_view.hpp"

namespace cucore::image {

// ELF64 relocatable or COFF. @throws Error INVALID_CODE
void check_object(ByteView image);

// Checks an archive: "!<arch>", then members that fill it. @throws Error INVALID_CODE
void check_library(ByteView image);

// The device code of a host object or archive, by nvcc's section names.
enum class DeviceCode {
  NONE,         // not recognised: host code alone, or COFF
  LINKED,       // nvcc -c: whole programs, which linkers do not take
  RELOCATABLE,  // nvcc -dc
};
DeviceCode device_code_of_object(ByteView image);
// Returns RELOCATABLE if at least one member is.
DeviceCode device_code_of_library(ByteView image);

// Calls `action` for each fat binary of relocatable code in an ELF object.
// @throws Error INVALID_CODE
void each_relocatable_fatbin(ByteView object,
                             const std::function<void(const ByteView& fatbin)>& action);

// Calls `action` for each member of an archive with its name. The archive's own tables are left
// out.
// @throws Error INVALID_CODE
void each_member(ByteView archive,
                 const std::function<void(std::string_view name, const ByteView& member)>& action);

bool looks_like_coff(std::span<const std::byte> bytes);

}  // namespace cucore::image
