// SPDX-License-Identifier: Apache-2.0
// Keys that must not be used: weak points of Ed25519, and secrets that are public.
#pragma once

#include <cstddef>
#include <span>

namespace cucore::container {

// Returns whether 32 bytes are a point of small order or a second encoding, which no key pair has.
// Under such a public key an attacker finds valid signatures.
bool is_weak_point(std::span<const std::byte> key);

// Returns whether bytes are a key of a key pair in a file format: PEM, OpenSSH's, DER of Ed25519.
// If its public half were a secret of HMAC, then everyone could sign.
bool is_key_pair_file(std::span<const std::byte> bytes);

}  // namespace cucore::container
