// SPDX-License-Identifier: Apache-2.0
// Reads containers from strangers: every table, size and digest is checked before it is believed.
#pragma once

#include <optional>
#include <string>

#include "container/objectcode.hpp"
#include "container/signature.hpp"

namespace cucore::container {

enum class SignaturePolicy {
  NONE,     // signed or not; where a key is given whose id the signature names, it must be right
  REQUIRED  // signed, rightly, by one of the keys
};

struct ReadOptions {
  uint64_t max_image_size = 0;  // refuse images above; 0: 1 GiB
  SignaturePolicy policy = SignaturePolicy::NONE;
  std::vector<VerifyingKey> keys;
};

enum class SignatureState { UNSIGNED, UNKNOWN_KEY, VALID };

struct SignatureInfo {
  SignatureState state = SignatureState::UNSIGNED;
  SignatureAlgorithm algorithm = SignatureAlgorithm::HMAC_SHA256;  // where signed
  KeyId key{};
};

struct Contents {
  Code code;
  SignatureInfo signature;
};

// True if the bytes begin as a container does.
bool is_container(std::span<const std::byte> bytes);

// @throws Error INVALID_CODE for anything that is not well formed, with the offset; SIGNATURE for
//         one that is wrong or, where required, missing or of an unknown key
Contents read_contents(std::span<const std::byte> container, const ReadOptions& options = {});

// The same without the signature.
Code read(std::span<const std::byte> container, const ReadOptions& options = {});

}  // namespace cucore::container
