// SPDX-License-Identifier: Apache-2.0
// Converts a caller's key to an internal value, with checks.
#pragma once

#include "capi/guard.hpp"
#include "container/signature.hpp"
#include "support/concat.hpp"

namespace cucore::capi {

// Keys of both sorts have the same two fields.
template <class Key>
Key to_key(const cucore_key& key, const char* field) {
  if (key.algorithm != CUCORE_KEY_HMAC_SHA256 && key.algorithm != CUCORE_KEY_ED25519)
    throw Error(Status::INVALID_ARGUMENT,
                concat(field, ": algorithm is ", static_cast<int>(key.algorithm),
                       ", not a cucore_key_algorithm"));
  if (key.algorithm == CUCORE_KEY_ED25519 && key.size != 32)
    throw Error(Status::INVALID_ARGUMENT,
                concat(field, ": a key of Ed25519 has 32 bytes, this has ", key.size));
  require_zero(key.reserved, "cucore_key.reserved");
  if (!key.data || key.size == 0)
    throw Error(Status::INVALID_ARGUMENT, concat(field, ": the key is empty"));
  const auto* begin = static_cast<const std::byte*>(key.data);
  Key value{static_cast<container::SignatureAlgorithm>(key.algorithm), {begin, begin + key.size}};
  if (const std::string why = container::key_defect(value); !why.empty())
    throw Error(Status::INVALID_ARGUMENT, concat(field, ": ", why));
  return value;
}

}  // namespace cucore::capi
