// SPDX-License-Identifier: Apache-2.0
// Keys, and signatures of containers: HMAC-SHA256 with a shared secret, Ed25519 with a public key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cucore::container {

enum class SignatureAlgorithm : uint8_t { HMAC_SHA256 = 1, ED25519 = 2 };

using KeyId = std::array<std::byte, 8>;            // see key_id()
using SignatureBytes = std::array<std::byte, 64>;  // HMAC: 32, then zeros

// A key that signs: the shared secret of HMAC, or the 32 bytes of an Ed25519 private key (its
// seed).
struct SigningKey {
  SignatureAlgorithm algorithm = SignatureAlgorithm::HMAC_SHA256;
  std::vector<std::byte> bytes;
};

// A key that verifies: the shared secret of HMAC, or the 32 bytes of an Ed25519 public key.
struct VerifyingKey {
  SignatureAlgorithm algorithm = SignatureAlgorithm::HMAC_SHA256;
  std::vector<std::byte> bytes;
};

// Returns the key that verifies signatures of `key`. @throws Error INVALID_ARGUMENT for a key of
// wrong length
VerifyingKey verifying_key(const SigningKey& key);

// Returns the first bytes of the SHA-256 of the algorithm, a byte, and the key. The same bytes as a
// key of another algorithm are another key.
KeyId key_id(const VerifyingKey& key);

// Returns why a key must not be used; "" for a usable one. A key must have the length of its
// algorithm. A secret must not be a file of a key pair, and a public key must not be weak. The
// other functions throw INVALID_ARGUMENT with this text.
std::string key_defect(const SigningKey& key);
std::string key_defect(const VerifyingKey& key);

SignatureBytes sign_message(const SigningKey& key, std::span<const std::byte> message);

// Takes constant time for HMAC.
bool verify_message(const VerifyingKey& key, std::span<const std::byte> message,
                    const SignatureBytes& signature);

}  // namespace cucore::container
