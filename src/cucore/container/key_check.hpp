// SPDX-License-Identifier: Apache-2.0
// Keys that must not be used: points of Ed25519 that prove nothing, and secrets that are public.
#pragma once

#include <cstddef>
#include <span>

namespace cucore::container {

// Whether 32 bytes are the point of small order or of a second encoding, which no key pair has.
// Under such a public key an attacker finds signatures that hold.
bool is_weak_point(std::span<const std::byte> key);

// Whether bytes are a key of a key pair in a form that files have: PEM, OpenSSH's, DER of Ed25519.
// Its public half as a secret of HMAC would let everyone sign.
bool is_key_pair_file(std::span<const std::byte> bytes);

}  // namespace cucore::container
