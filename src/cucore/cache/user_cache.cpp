// SPDX-License-Identifier: Apache-2.0
#include "cache/user_cache.hpp"

#include <thread>

#include "cache/quietly.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"
#include "support/signals_blocked.hpp"

namespace cucore::cache {

Ref<UserCache> UserCache::open(Settings settings, Codec codec) {
  // The same folder after a change of the current directory, also in children.
  if (!settings.directory.empty() && !settings.directory.starts_with('/'))
    settings.directory = current_directory() + "/" + settings.directory;
  return make<UserCache>(std::move(settings), codec);
}

UserCache::UserCache(Settings settings, Codec codec)
    : codec_(codec), cache_(make<Cache>(std::move(settings), codec)) {}

Cache& UserCache::here() {
  // The remote would call itself without end.
  if (cache_->remotes().is_calling())
    throw Error(Status::INVALID_STATE,
                "cache is one whose remote is being called by this thread; a remote must not use "
                "the cache that calls it");
  if (forks_ == fork_count()) return *cache_;
  return *in_child_.get([this] { return reopen(); });
}

Ref<Cache> UserCache::reopen() const {
  Settings settings = cache_->settings();
  if (!cache_->remotes().empty())
    log(LogLevel::WARNING, "a cache in a process made by fork has no remotes: open it there");
  try {
    return make<Cache>(settings, codec_);
  } catch (const Error& error) {
    log(LogLevel::WARNING, concat("the cache in ", settings.directory,
                                  " is kept in memory alone after a fork: ", error.what()));
    settings.directory.clear();
    return make<Cache>(settings, codec_);
  }
}

void UserCache::prepare_release() {
  if (cache_->remotes().is_sending()) return release_elsewhere();
  // A child of a fork never destroys an object that its parent's threads may be using.
  if (forks_ == fork_count()) return;
  add_reference();
  quietly([&] { return here().maintenance().flush_statistics(), true; });
}

// The thread that sends to remotes must not wait for its own end. It drops its reference before the
// present send ends, so that the last one is dropped here.
void UserCache::release_elsewhere() {
  const Remotes& remotes = cache_->remotes();
  add_reference();
  quietly([&] {
    const SignalsBlocked blocked;
    std::thread([this, &remotes, sent = remotes.sent()] {
      remotes.wait_for_send(sent);
      drop_reference();
    }).detach();
    return true;
  });
}

}  // namespace cucore::cache
