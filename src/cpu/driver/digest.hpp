// SPDX-License-Identifier: Apache-2.0
// SHA-256. Programs load this library as their driver, so it does not require libcrypto.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cucore::cpu {

using Digest = std::array<uint8_t, 32>;

Digest digest_of(std::span<const std::byte> bytes);
std::string hex_of(const Digest& digest);

}  // namespace cucore::cpu
