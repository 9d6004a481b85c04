// SPDX-License-Identifier: Apache-2.0
// The results that the calls of this thread are building, so that a build function which requests
// one of them is refused: it would wait for itself.
#pragma once

#include <sys/types.h>

#include "container/objectcode.hpp"

namespace cucore::cache {

// What two builds of one key must share for one to wait for the other.
struct BuildPlace {
  const void* cache = nullptr;
  // Of the folder whose lock a build takes; 0 where it takes none.
  dev_t device = 0;
  ino_t folder = 0;

  bool meets(const BuildPlace& other) const {
    return cache == other.cache ||
           (folder != 0 && folder == other.folder && device == other.device);
  }
};

// One build; it belongs to the thread that made it for as long as it lives.
class Building {
 public:
  Building(const BuildPlace& place, const container::Digest& key);
  ~Building();
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  // The innermost of this thread; null where it builds nothing.
  static const Building* current();
  // Throws INVALID_STATE if this thread is building that key.
  static void refuse_within(const BuildPlace& place, const container::Digest& key);

 private:
  const BuildPlace place_;
  const container::Digest key_;
  const unsigned forks_;
  const Building* const outer_;
};

// A thread works for another, which waits for it: it builds what that one builds.
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
