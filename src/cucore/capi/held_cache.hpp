// SPDX-License-Identifier: Apache-2.0
// A cache that a call uses, held until it returns. A function of the caller that it runs (a build,
// a report, a remote) may release the last reference.
#pragma once

#include "capi/handles.hpp"

namespace cucore::capi {

class HeldCache {
 public:
  explicit HeldCache(const cucore_cache* handle, const char* argument = "cache")
      : owner_(share(handle, argument)), here_(owner_->here()) {}

  cache::Cache& operator*() const { return here_; }
  cache::Cache* operator->() const { return &here_; }

 private:
  const Ref<cache::UserCache> owner_;
  cache::Cache& here_;
};

}  // namespace cucore::capi
