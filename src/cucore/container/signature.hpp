// SPDX-License-Identifier: Apache-2.0
// Keys, and signatures of containers with them: HMAC-SHA256 among friends, Ed25519 in public.
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

// What signs: the shared secret of HMAC, or the 32 bytes of an Ed25519 private key (its seed).
struct SigningKey {
  SignatureAlgorithm algorithm = SignatureAlgorithm::HMAC_SHA256;
  std::vector<std::byte> bytes;
};

// What verifies: the shared secret of HMAC, or the 32 bytes of an Ed25519 public key.
struct VerifyingKey {
  SignatureAlgorithm algorithm = SignatureAlgorithm::HMAC_SHA256;
  std::vector<std::byte> bytes;
};

// The key that verifies what `key` signs. @throws Error INVALID_ARGUMENT for a key of wrong length
VerifyingKey verifying_key(const SigningKey& key);

// The first bytes of the SHA-256 of the algorithm, a byte, and the key. The same bytes as a key of
// another algorithm are another key.
KeyId key_id(const VerifyingKey& key);

// Why a key must not be used; "" for one that may. A key has the length of its algorithm, a secret
// is no file of a key pair, and a public key is none for which anyone can sign. The other
// functions throw INVALID_ARGUMENT with this text.
std::string key_defect(const SigningKey& key);
std::string key_defect(const VerifyingKey& key);

SignatureBytes sign_message(const SigningKey& key, std::span<const std::byte> message);

// In constant time for HMAC.
bool verify_message(const VerifyingKey& key, std::span<const std::byte> message,
                    const SignatureBytes& signature);

}  // namespace cucore::container
