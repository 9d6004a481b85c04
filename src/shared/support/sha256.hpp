// SPDX-License-Identifier: Apache-2.0
// SHA-256 through libcrypto, which uses the processor's instructions for it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cucore {

using Sha256Digest = std::array<std::byte, 32>;

// Of one run of bytes.
Sha256Digest sha256(std::span<const std::byte> bytes);
Sha256Digest sha256(std::string_view text);

// Of several, as if they were one.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(std::span<const std::byte> bytes);
  Sha256& update(std::string_view text);
  // Ends it; the object may only be destroyed afterwards.
  Sha256Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Lower-case hexadecimal digits.
std::string hex(std::span<const std::byte> bytes);

}  // namespace cucore
