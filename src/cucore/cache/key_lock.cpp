// SPDX-License-Identifier: Apache-2.0
#include "cache/key_lock.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "cache/byte_lock.hpp"

namespace cucore::cache {

using Clock = std::chrono::steady_clock;

KeyLock::KeyLock(int folder, const container::Digest& key, std::chrono::milliseconds time) {
  file_ = Descriptor(openat(folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) return;
  uint64_t bits = 0;
  std::memcpy(&bits, key.data(), sizeof bits);
  at_ = static_cast<off_t>(bits >> 2);
  const auto end = Clock::now() + time;
  auto pause = std::chrono::microseconds(200);
  while (!(held_ = try_once())) {
    if (errno != EAGAIN && errno != EACCES) return;  // this file system does not support such locks
    if ((timed_out_ = Clock::now() >= end)) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(5000));
  }
}

bool KeyLock::try_once() const { return set_lock(file_.get(), F_WRLCK, at_, 1); }

KeyLock::~KeyLock() {
  // Unlocked explicitly, because a child of a fork may hold the same descriptor for longer.
  if (held_) set_lock(file_.get(), F_UNLCK, at_, 1);
}

}  // namespace cucore::cache
