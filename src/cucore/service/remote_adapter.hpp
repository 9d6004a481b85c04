// SPDX-License-Identifier: Apache-2.0
// A remote of the cache that the caller or a plug-in implements as a table of functions.
#pragma once

#include <cucore.h>

#include "cache/remote.hpp"

namespace cucore::service {

// Owns the context of the table: closes it once, in the destructor.
class RemoteAdapter final : public cache::Remote {
 public:
  explicit RemoteAdapter(const cucore_cache_remote& remote);
  ~RemoteAdapter() override;
  RemoteAdapter(const RemoteAdapter&) = delete;
  RemoteAdapter& operator=(const RemoteAdapter&) = delete;

  cache::RemoteAnswer get(const container::Digest& key, cache::FileKind kind,
                          image::Bytes& out) override;
  cache::RemoteAnswer put(const container::Digest& key, cache::FileKind kind,
                          std::span<const std::byte> bytes) override;
  bool can_write() const override { return remote_.put != nullptr; }
  std::string name() const override { return name_; }

 private:
  const cucore_cache_remote remote_;
  const std::string name_;  // without a login
};

}  // namespace cucore::service
