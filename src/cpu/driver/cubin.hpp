// SPDX-License-Identifier: Apache-2.0
// CUBIN, machine code of a GPU, which this device does not run. Some contain their PTX.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cucore::cpu {

// Copies a CUBIN whose headers contain its size, for callers without a size. Returns nothing if
// `image` is not a CUBIN, or if its memory ends before it does.
std::vector<std::byte> copy_cubin(const void* image);

// Returns the bytes of the CUBIN at the beginning of `image`; empty if it is not a CUBIN.
std::span<const std::byte> cubin_in(const void* image, size_t size);

// Returns true for an object or a program of a processor of the host.
bool is_host_elf(const void* image, size_t size);

// Returns the PTX that ptxas writes into a CUBIN with line information; nullopt without it.
std::optional<std::string> debug_ptx(std::span<const std::byte> cubin);

}  // namespace cucore::cpu
