// SPDX-License-Identifier: Apache-2.0
// The results that the calls of this thread are building. A build function that requests one of
// them is refused, because it would wait for itself.
#pragma once

#include <sys/types.h>

#include "container/objectcode.hpp"

namespace cucore::cache {

// The identity of two builds of one key, of which one waits for the other.
struct BuildPlace {
  const void* cache = nullptr;
  // Folder whose lock a build takes; 0: no lock.
  dev_t device = 0;
  ino_t folder = 0;

  bool meets(const BuildPlace& other) const {
    return cache == other.cache ||
           (folder != 0 && folder == other.folder && device == other.device);
  }
};

// One build; it belongs to the thread that created it during its whole life.
class Building {
 public:
  Building(const BuildPlace& place, const container::Digest& key);
  ~Building();
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  // Returns the innermost build of this thread, or null.
  static const Building* current();
  // Throws INVALID_STATE if this thread is building that key.
  static void refuse_within(const BuildPlace& place, const container::Digest& key);

 private:
  const BuildPlace place_;
  const container::Digest key_;
  const unsigned forks_;
  const Building* const outer_;
};

// A thread that works for another one, which waits for it: both build the same keys.
class BuildsFor {
 public:
  explicit BuildsFor(const Building* of);
  ~BuildsFor();
  BuildsFor(const BuildsFor&) = delete;
  BuildsFor& operator=(const BuildsFor&) = delete;

 private:
  const Building* const before_;
};

}  // namespace cucore::cache
