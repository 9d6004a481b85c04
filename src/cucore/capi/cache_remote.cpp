// SPDX-License-Identifier: Apache-2.0
// Remotes of the cache: those of the caller and those of plug-ins, through the same table.
#include <cstddef>

#include "capi/guard.hpp"
#include "capi/held_cache.hpp"
#include "service/remote_adapter.hpp"
#include "service/remote_plugin.hpp"

using namespace cucore::capi;
namespace service = cucore::service;

namespace {

constexpr size_t FIRST_REMOTE_OPTIONS =
    offsetof(cucore_cache_remote_options, reserved) + sizeof(int32_t);
constexpr size_t FIRST_REMOTE = offsetof(cucore_cache_remote, name) + sizeof(const char*);

cucore_cache_remote_options read(const cucore_cache_remote_options* given) {
  auto options = cucore::read_options(given, FIRST_REMOTE_OPTIONS, "cucore_cache_remote_options");
  require_flag(options.read_only, "cucore_cache_remote_options.read_only");
  require_zero(options.reserved, "cucore_cache_remote_options.reserved");
  if (options.connect_timeout_ms == 0) options.connect_timeout_ms = 100;
  if (options.timeout_ms == 0) options.timeout_ms = 1000;
  return options;
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_cache_add_remote(cucore_cache* cache,
                                                 const cucore_cache_remote* remote,
                                                 cucore_error** error) {
  return guard(error, [&] {
    require(remote, "remote");
    const auto all = cucore::read_options(remote, FIRST_REMOTE, "cucore_cache_remote");
    auto owner = std::make_unique<service::RemoteAdapter>(all);
    const HeldCache self(cache);
    require(all.get, "remote.get");
    self->remotes().add(std::move(owner));
  });
}

CUCORE_API cucore_status cucore_cache_add_remote_url(cucore_cache* cache, const char* url,
                                                     const cucore_cache_remote_options* options,
                                                     cucore_error** error) {
  return guard(error, [&] {
    const HeldCache self(cache);
    require(url, "url");
    const auto with = read(options);
    self->remotes().add(service::open_remote(url, with));
  });
}

}  // extern "C"
