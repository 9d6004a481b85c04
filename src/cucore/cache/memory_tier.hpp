// SPDX-License-Identifier: Apache-2.0
// Results that this process has built or read: the objects themselves, so that a hit copies
// nothing. Removes the least recently used ones.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

#include "container/objectcode.hpp"
#include "support/ref.hpp"

namespace cucore::cache {

struct DigestHash {
  size_t operator()(const container::Digest& digest) const {
    size_t value = 0;
    std::memcpy(&value, digest.data() + 8, sizeof value);
    return value;
  }
};

// A comparison of two arrays is a loop over their bytes.
struct DigestEqual {
  bool operator()(const container::Digest& a, const container::Digest& b) const {
    return std::memcmp(a.data(), b.data(), a.size()) == 0;
  }
};

template <class Value>
using DigestMap = std::unordered_map<container::Digest, Value, DigestHash, DigestEqual>;

// Returns the number of bytes that an object counts as.
uint64_t weight(const container::Code& code);

class MemoryTier {
 public:
  explicit MemoryTier(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  Ref<const Object> find(const container::Digest& key);
  using Time = std::chrono::steady_clock::time_point;
  static constexpr Time NEVER = Time::max();
  void insert(const container::Digest& key, Ref<const Object> object, uint64_t bytes,
              Time best_before);
  // Returns whether there was an object.
  bool erase(const container::Digest& key);
  void clear();
  // Visits the keys that were found since the last call, whose files on disk must be marked as
  // used.
  void take_used(const std::function<void(const container::Digest&)>& use);

 private:
  static constexpr size_t PARTS = 16;
  struct Entry {
    container::Digest key;
    Ref<const Object> object;
    uint64_t bytes;
    bool used;
    Time best_before;
  };
  struct Part {
    std::mutex mutex;
    std::list<Entry> entries;  // the last used one first
    DigestMap<std::list<Entry>::iterator> index;
  };
  Part& part(const container::Digest& key) { return parts_[static_cast<size_t>(key[7]) % PARTS]; }
  void remove(Part& part, std::list<Entry>::iterator entry, std::list<Entry>& removed);
  void shrink(const container::Digest& newest);

  const uint64_t max_bytes_;
  std::array<Part, PARTS> parts_;
  // of all parts, because a large entry may exceed one part's share
  std::atomic<uint64_t> bytes_{0};
};

}  // namespace cucore::cache
