// SPDX-License-Identifier: Apache-2.0
// Reads untrusted containers: every table, size and digest is checked before use.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "container/objectcode.hpp"
#include "container/signature.hpp"

namespace cucore::container {

enum class SignaturePolicy {
  NONE,     // signed or not; if a key has the signature's key id, the signature must be valid
  REQUIRED  // a valid signature by one of the keys
};

struct ReadOptions {
  uint64_t max_image_size = 0;  // limit for the size of an image; 0: 1 GiB
  SignaturePolicy policy = SignaturePolicy::NONE;
  std::vector<VerifyingKey> keys;
};

enum class SignatureState { UNSIGNED, UNKNOWN_KEY, VALID };

struct SignatureInfo {
  SignatureState state = SignatureState::UNSIGNED;
  SignatureAlgorithm algorithm = SignatureAlgorithm::HMAC_SHA256;  // if signed
  KeyId key{};
};

struct Contents {
  Code code;
  SignatureInfo signature;
};

// Returns true if the bytes begin as a container does.
bool is_container(std::span<const std::byte> bytes);

// @throws Error INVALID_CODE for malformed bytes, with the offset; SIGNATURE for a wrong signature
// or, if required, one that is missing or by an unknown key
Contents read_contents(std::span<const std::byte> container, const ReadOptions& options = {});

struct SharedContents {
  std::shared_ptr<const Code> code;
  SignatureInfo signature;
};

// Does the same. Contents that this process has read and still holds are shared: then only the
// table, the digests and the signature are checked.
SharedContents read_shared(std::span<const std::byte> container, const ReadOptions& options = {});

// Does the same without the signature.
Code read(std::span<const std::byte> container, const ReadOptions& options = {});

}  // namespace cucore::container
