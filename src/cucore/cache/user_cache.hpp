// SPDX-License-Identifier: Apache-2.0
// The cache behind a user's handle. It is usable in the child of a fork. Any thread may release it,
// including one in a function of one of its remotes.
#pragma once

#include "cache/cache.hpp"
#include "support/per_process.hpp"

namespace cucore::cache {

class UserCache final : public Object {
 public:
  static Ref<UserCache> open(Settings settings, Codec codec);

  // Returns the cache of this process. In a child of a fork, that is another one of the same
  // settings, with empty memory and without remotes. The connections of the remotes belong to the
  // parent. Every call of a user begins here. Throws INVALID_STATE within a function of one of its
  // remotes.
  Cache& here();
  // Returns the cache that was opened, in any process.
  const Cache& opened() const { return *cache_; }
  // Precedes the release of a user's reference.
  void prepare_release();

 private:
  template <class T, class... Arguments>
  friend Ref<T> cucore::make(Arguments&&...);
  UserCache(Settings settings, Codec codec);
  Ref<Cache> reopen() const;
  void release_elsewhere();

  const Codec codec_;
  const Ref<Cache> cache_;
  const unsigned forks_ = fork_count();
  PerProcess<Ref<Cache>> in_child_;
};

}  // namespace cucore::cache
