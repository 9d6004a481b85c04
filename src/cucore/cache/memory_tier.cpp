// SPDX-License-Identifier: Apache-2.0
#include "cache/memory_tier.hpp"

namespace cucore::cache {

uint64_t weight(const container::Code& code) {
  uint64_t size = 1024 + code.bytes.size() + code.log.size();
  for (const auto& image : code.images) size += 256 + image.bytes.size();
  return size + 128 * code.symbols.size();
}

Ref<const Object> MemoryTier::find(const container::Digest& key) {
  Part& in = part(key);
  std::lock_guard lock(in.mutex);
  const auto found = in.index.find(key);
  if (found == in.index.end()) return nullptr;
  const Time limit = found->second->best_before;
  if (limit != NEVER && limit < Time::clock::now()) return nullptr;
  in.entries.splice(in.entries.begin(), in.entries, found->second);
  found->second->used = true;
  return found->second->object;
}

// The caller destroys the removed objects outside the mutex, because that may unload code.
void MemoryTier::remove(Part& part, std::list<Entry>::iterator entry, std::list<Entry>& removed) {
  bytes_ -= entry->bytes;
  part.index.erase(entry->key);
  removed.splice(removed.begin(), part.entries, entry);
}

void MemoryTier::insert(const container::Digest& key, Ref<const Object> object, uint64_t bytes,
                        Time best_before) {
  if (bytes > max_bytes_) return;
  std::list<Entry> fresh, removed;
  fresh.push_back({key, std::move(object), bytes, false, best_before});
  Part& in = part(key);
  {
    std::lock_guard lock(in.mutex);
    if (const auto found = in.index.find(key); found != in.index.end())
      remove(in, found->second, removed);
    in.index.emplace(key, fresh.begin());
    in.entries.splice(in.entries.begin(), fresh);
    bytes_ += bytes;
  }
  if (bytes_ > max_bytes_) shrink(key);
}

// Removes the last entry of each part in turn, from the newest entry's part on, until all fit.
void MemoryTier::shrink(const container::Digest& newest) {
  const auto first = static_cast<size_t>(&part(newest) - parts_.data());
  for (size_t i = first, empty = 0; bytes_ > max_bytes_ && empty < PARTS; ++i) {
    Part& in = parts_[i % PARTS];
    std::list<Entry> removed;
    std::lock_guard lock(in.mutex);
    const bool has_any = !in.entries.empty() && in.entries.back().key != newest;
    empty = has_any ? 0 : empty + 1;
    if (has_any) remove(in, std::prev(in.entries.end()), removed);
  }
}

bool MemoryTier::erase(const container::Digest& key) {
  std::list<Entry> removed;
  Part& in = part(key);
  std::lock_guard lock(in.mutex);
  if (const auto found = in.index.find(key); found != in.index.end())
    remove(in, found->second, removed);
  return !removed.empty();
}

void MemoryTier::clear() {
  for (Part& in : parts_) {
    std::list<Entry> removed;
    std::lock_guard lock(in.mutex);
    while (!in.entries.empty()) remove(in, in.entries.begin(), removed);
  }
}

void MemoryTier::take_used(const std::function<void(const container::Digest&)>& use) {
  for (Part& in : parts_) {
    std::lock_guard lock(in.mutex);
    for (Entry& entry : in.entries)
      if (std::exchange(entry.used, false)) use(entry.key);
  }
}

}  // namespace cucore::cache
