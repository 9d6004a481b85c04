// SPDX-License-Identifier: Apache-2.0
// SHA-256 through libcrypto, which uses the processor's SHA instructions.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cucore {

using Sha256Digest = std::array<std::byte, 32>;

// Hashes one run of bytes.
Sha256Digest sha256(std::span<const std::byte> bytes);
Sha256Digest sha256(std::string_view text);

// Hashes several runs as if they were one.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(std::span<const std::byte> bytes);
  Sha256& update(std::string_view text);
  // Ends the hash; afterwards the object may only be destroyed.
  Sha256Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Returns lower-case hexadecimal digits.
std::string hex(std::span<const std::byte> bytes);

}  // namespace cucore
