// SPDX-License-Identifier: Apache-2.0
#include "cache/building.hpp"

#include <utility>

#include "support/error.hpp"
#include "support/per_process.hpp"

namespace cucore::cache {
namespace {

thread_local const Building* innermost_building = nullptr;

}  // namespace

Building::Building(const BuildPlace& place, const container::Digest& key)
    : place_(place),
      key_(key),
      forks_(fork_count()),
      outer_(std::exchange(innermost_building, this)) {}

Building::~Building() { innermost_building = outer_; }

const Building* Building::current() { return innermost_building; }

void Building::refuse_within(const BuildPlace& place, const container::Digest& key) {
  // The child of a fork waits for its parent's build as any other process does.
  const unsigned forks = fork_count();
  for (const Building* at = innermost_building; at; at = at->outer_)
    if (at->forks_ == forks && at->key_ == key && at->place_.meets(place))
      throw Error(Status::INVALID_STATE,
                  "key is one that this thread is already building, and the call would wait for "
                  "itself; expected another key; a build function must not request its own result");
}

BuildsFor::BuildsFor(const Building* of) : before_(std::exchange(innermost_building, of)) {}

BuildsFor::~BuildsFor() { innermost_building = before_; }

}  // namespace cucore::cache
