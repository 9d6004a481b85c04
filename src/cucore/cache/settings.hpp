// SPDX-License-Identifier: Apache-2.0
// The settings of a cache, and the functions that make objects and results.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "container/objectcode.hpp"
#include "container/signature.hpp"
#include "support/ref.hpp"

namespace cucore::cache {

// Converts plain values to the objects that callers see, and back. The cache does not include the
// types of these objects.
struct Codec {
  Ref<const Object> (*wrap)(container::Code code);
  const container::Code& (*unwrap)(const Object& object);
};

struct Settings {
  std::string directory;  // "": no disk tier
  uint64_t max_bytes = uint64_t{1} << 30;
  uint64_t max_entries = 20000;
  uint64_t memory_bytes = uint64_t{64} << 20;
  std::chrono::seconds max_age{0};  // 0: no limit
  std::chrono::milliseconds lock_timeout{30000};
  bool is_off = false;
  bool read_only = false;
  bool hermetic = false;
  bool durable = false;
  bool trust_toolkit = false;
  std::optional<bool> locking;  // default: on, except on network file systems
  std::string name_space;
  std::optional<container::SigningKey> signing_key;
  std::vector<container::VerifyingKey> keys;
};

enum class Outcome { HIT_MEMORY = 1, HIT_DISK, HIT_REMOTE, JOINED, BUILT, NOT_STORED, BYPASSED };

struct Result {
  Ref<const Object> object;
  Outcome outcome = Outcome::BYPASSED;
};

struct Build {
  std::function<Ref<const Object>()> build;
  // Makes the compiler write a trace of the files that it reads to that path, without a result.
  std::function<void(const std::string& path)> trace;
};

}  // namespace cucore::cache
