// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/known_code.hpp"

#include <utility>

#include "support/environment.hpp"

namespace cucore::cpu {
namespace {

constexpr size_t MAX_MEMORY = size_t{256} << 20;
constexpr size_t MAX_FOLDER = size_t{512} << 20;

// Returns "" if no file may be used.
std::string folder_path() {
  const std::string chosen = environment("CUCORE_CPU_PTX_DIR");
  if (!chosen.empty()) return chosen == "off" ? std::string() : chosen;
  const std::string cache = environment("XDG_CACHE_HOME");
  if (cache.starts_with('/')) return cache + "/cucore-cpu";
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/.cache/cucore-cpu" : std::string();
}

}  // namespace

KnownCode& KnownCode::instance() {
  static KnownCode& known = *new KnownCode;  // never destroyed
  return known;
}

KnownCode::KnownCode() : folder_(folder_path()) {}

void KnownCode::keep(const Digest& digest, const std::string& ptx) {
  if (!texts_.emplace(digest, ptx).second) return;
  order_.push_back(digest);
  bytes_ += ptx.size();
  while (bytes_ > MAX_MEMORY && order_.size() > 1) {
    const auto oldest = texts_.find(order_.front());
    bytes_ -= oldest->second.size();
    texts_.erase(oldest);
    order_.pop_front();
  }
}

void KnownCode::remember(std::span<const std::byte> cubin, std::string ptx) {
  const Digest digest = digest_of(cubin);
  bool is_first = false;
  {
    std::lock_guard lock(mutex_);
    if (texts_.count(digest) != 0) return;
    keep(digest, ptx);
    is_first = !std::exchange(is_trimmed_, true);
  }
  folder_.write(hex_of(digest), ptx);
  if (is_first) folder_.trim(MAX_FOLDER);
}

std::optional<std::string> KnownCode::find(std::span<const std::byte> cubin) {
  const Digest digest = digest_of(cubin);
  {
    std::lock_guard lock(mutex_);
    if (const auto known = texts_.find(digest); known != texts_.end()) return known->second;
  }
  std::optional<std::string> ptx = folder_.read(hex_of(digest));
  if (!ptx) return std::nullopt;
  std::lock_guard lock(mutex_);
  keep(digest, *ptx);
  return ptx;
}

}  // namespace cucore::cpu
