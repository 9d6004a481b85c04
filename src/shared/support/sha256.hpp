// SPDX-License-Identifier: Apache-2.0
// SHA-256 through libcrypto, which uses the processor's SHA instructions.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // EVP_MD_CTX of libcrypto

namespace cucore {

using Sha256Digest = std::array<std::byte, 32>;

// Loads the algorithm. A thread that may run at the exit of the process must not be the first to
// hash. The exit handler of libcrypto would free its tables while that thread makes them.
void prepare_sha256();

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
  // Ends the hash; afterwards the object may only be destroyed, or compute digest().
  Sha256Digest finish();
  // Hashes one run of bytes, as often as needed: the context is prepared once.
  Sha256Digest digest(std::span<const std::byte> bytes);

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

// Returns lower-case hexadecimal digits.
std::string hex(std::span<const std::byte> bytes);

}  // namespace cucore
