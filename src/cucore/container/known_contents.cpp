// SPDX-License-Identifier: Apache-2.0
#include "container/known_contents.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace cucore::container {

namespace {

struct Entry {
  std::weak_ptr<const Code> code;
  bool is_read = false;
};

struct Hash {
  size_t operator()(const Digest& digest) const {
    size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
  }
};

// A fork may leave the mutex locked in the child, which then finds nothing.
class Locked {
 public:
  Locked() : lock_(shared().mutex, std::try_to_lock) {}

  Entry* find(const Digest& digest) {
    if (!lock_) return nullptr;
    const auto found = shared().entries.find(digest);
    return found == shared().entries.end() ? nullptr : &found->second;
  }

  void set(const Digest& digest, const std::shared_ptr<const Code>& code, bool is_read) {
    if (!lock_) return;
    auto& [mutex, entries, most] = shared();
    if (entries.size() >= most) {
      std::erase_if(entries, [](const auto& entry) { return entry.second.code.expired(); });
      most = std::max(LEAST, 2 * entries.size());
    }
    entries.insert_or_assign(digest, Entry{code, is_read});
  }

 private:
  static constexpr size_t LEAST = 64;
  struct Shared {
    std::mutex mutex;
    std::unordered_map<Digest, Entry, Hash> entries;
    size_t most = LEAST;  // entries before the ended ones are removed
  };
  static Shared& shared() {
    static auto* made = new Shared;  // never destroyed: no work at exit
    return *made;
  }

  const std::unique_lock<std::mutex> lock_;
};

}  // namespace

std::shared_ptr<const Code> KnownContents::find(const Digest& digest) {
  Locked known;
  const Entry* entry = known.find(digest);
  return entry && entry->is_read ? entry->code.lock() : nullptr;
}

void KnownContents::add_written(const Digest& digest, const std::shared_ptr<const Code>& code) {
  Locked known;
  const Entry* entry = known.find(digest);
  if (!entry || entry->code.expired()) known.set(digest, code, false);
}

std::shared_ptr<const Code> KnownContents::add_read(const Digest& digest, Code&& code) {
  std::shared_ptr<const Code> written;
  {
    Locked known;
    if (const Entry* entry = known.find(digest)) written = entry->code.lock();
  }
  const bool is_equal = written && *written == code;
  auto read = is_equal ? std::move(written) : std::make_shared<const Code>(std::move(code));
  Locked().set(digest, read, true);
  return read;
}

}  // namespace cucore::container
