// SPDX-License-Identifier: Apache-2.0
// One builder per key among processes: a lock on the byte that the key selects. Locks of different
// keys are independent, and a process that dies releases its locks.
#pragma once

#include <chrono>

#include "cache/descriptor.hpp"
#include "container/objectcode.hpp"

namespace cucore::cache {

class KeyLock {
 public:
  // Waits until it has the lock or the time is up. `folder` contains the cache's files.
  KeyLock(int folder, const container::Digest& key, std::chrono::milliseconds time);
  ~KeyLock();
  KeyLock(const KeyLock&) = delete;
  KeyLock& operator=(const KeyLock&) = delete;

  bool timed_out() const { return timed_out_; }

 private:
  bool try_once() const;

  Descriptor file_;
  off_t at_ = 0;
  bool held_ = false, timed_out_ = false;
};

}  // namespace cucore::cache
