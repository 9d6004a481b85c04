// SPDX-License-Identifier: Apache-2.0
// Remotes of the cache: those that the caller implements, and those of plug-ins, by the same table.
#include <dlfcn.h>

#include <cstddef>
#include <cstring>

#include "cache/cache.hpp"
#include "capi/guard.hpp"
#include "capi/held_cache.hpp"
#include "remote/plugin.h"
#include "support/descriptors.hpp"
#include "support/loaded_file.hpp"
#include "support/text.hpp"
#include "support/url.hpp"

using namespace cucore::capi;
using cucore::Error;
using cucore::Status;
using cucore::text;
namespace cache = cucore::cache;
namespace container = cucore::container;
namespace image = cucore::image;

namespace {

constexpr size_t FIRST_REMOTE_OPTIONS =
    offsetof(cucore_cache_remote_options, reserved) + sizeof(int32_t);
constexpr size_t FIRST_REMOTE = offsetof(cucore_cache_remote, name) + sizeof(const char*);

// Owns the context: closes it once, whatever happens.
class CallersRemote final : public cache::Remote {
 public:
  explicit CallersRemote(const cucore_cache_remote& remote)
      : remote_(remote), name_(cucore::without_login(remote.name ? remote.name : "a remote")) {}
  ~CallersRemote() override {
    if (remote_.close) remote_.close(remote_.context);
  }
  CallersRemote(const CallersRemote&) = delete;
  CallersRemote& operator=(const CallersRemote&) = delete;

  cache::RemoteAnswer get(const container::Digest& key, cache::FileKind kind,
                          image::Bytes& out) override {
    Received received{out};
    const cucore_cache_answer answer =
        remote_.get(remote_.context, cache::entry_name(key, kind).c_str(), receive, &received);
    return received.is_refused ? cache::RemoteAnswer::FAILED : to_answer(answer);
  }

  cache::RemoteAnswer put(const container::Digest& key, cache::FileKind kind,
                          std::span<const std::byte> bytes) override {
    return to_answer(remote_.put(remote_.context, cache::entry_name(key, kind).c_str(),
                                 bytes.data(), bytes.size()));
  }

  bool can_write() const override { return remote_.put != nullptr; }
  std::string name() const override { return name_; }

 private:
  struct Received {
    image::Bytes& bytes;
    bool is_refused = false;
  };

  // Nothing thrown may pass through the caller's code.
  static void receive(const void* data, size_t size, void* receiver) {
    auto& self = *static_cast<Received*>(receiver);
    const auto* begin = static_cast<const std::byte*>(data);
    if ((!data && size != 0) || size > cache::Remotes::LARGEST ||
        guard(nullptr, [&] { self.bytes.assign(begin, begin + size); }) != CUCORE_OK)
      self.is_refused = true;
  }

  static cache::RemoteAnswer to_answer(cucore_cache_answer answer) {
    if (answer == CUCORE_CACHE_ANSWER_DONE) return cache::RemoteAnswer::DONE;
    if (answer == CUCORE_CACHE_ANSWER_ABSENT) return cache::RemoteAnswer::ABSENT;
    return cache::RemoteAnswer::FAILED;
  }

  const cucore_cache_remote remote_;
  const std::string name_;
};

struct Scheme {
  std::string_view prefix;
  const char* plugin;
};
constexpr Scheme SCHEMES[] = {
    {"file://", "directory"}, {"http://", "http"}, {"https://", "http"}, {"redis://", "redis"}};

// Followed by a blank. Without a scheme nothing says which part may be a password.
std::string shown_place(std::string_view url) {
  return url.find("://") == url.npos ? std::string() : cucore::without_login(url) + " ";
}

std::string plugin_of(std::string_view url) {
  for (const Scheme& scheme : SCHEMES)
    if (url.starts_with(scheme.prefix)) return text("cucore-remote-", scheme.plugin, ".so");
  throw Error(Status::INVALID_ARGUMENT,
              text("the URL ", shown_place(url),
                   "begins with none of file://, http://, https:// and redis://"));
}

// Kept open for good: its threads and its connections may outlive every cache.
cucore_remote_open_fn open_plugin(const std::string& name) {
  const std::string folder = cucore::own_folder();
  if (folder.empty())
    throw Error(Status::LIBRARY_MISSING,
                text("cannot load ", name, ": the folder of libcucore.so is not known"));
  cucore::require_descriptors("load " + name);
  std::string tried;
  for (const std::string& place : {folder + "/" + name, folder + "/cucore/" + name}) {
    void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      tried += text(tried.empty() ? "" : ", ", static_cast<const char*>(dlerror()));
      continue;
    }
    if (void* entry = dlsym(library, "cucore_remote_open"))
      return reinterpret_cast<cucore_remote_open_fn>(entry);
    tried += text(tried.empty() ? "" : ", ", place, " (has no cucore_remote_open)");
  }
  throw Error(Status::LIBRARY_MISSING, text("cannot load ", name, ": tried ", tried));
}

cucore_cache_remote_options read(const cucore_cache_remote_options* given) {
  auto options = cucore::read_options(given, FIRST_REMOTE_OPTIONS, "cucore_cache_remote_options");
  require_flag(options.read_only, "cucore_cache_remote_options.read_only");
  require_zero(options.reserved, "cucore_cache_remote_options.reserved");
  if (options.connect_timeout_ms == 0) options.connect_timeout_ms = 100;
  if (options.timeout_ms == 0) options.timeout_ms = 1000;
  return options;
}

cucore_cache_remote open_remote(const char* url, const cucore_cache_remote_options& options) {
  cucore_cache_remote remote = CUCORE_CACHE_REMOTE_INIT;
  char reason[512] = "";
  if (!open_plugin(plugin_of(url))(url, &options, &remote, reason, sizeof reason))
    throw Error(Status::INVALID_ARGUMENT, text("cannot use ", cucore::without_login(url),
                                               " as a remote: ", static_cast<const char*>(reason)));
  return remote;
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_cache_add_remote(cucore_cache* cache,
                                                 const cucore_cache_remote* remote,
                                                 cucore_error** error) {
  return guard(error, [&] {
    require(remote, "remote");
    const auto all = cucore::read_options(remote, FIRST_REMOTE, "cucore_cache_remote");
    auto owner = std::make_unique<CallersRemote>(all);
    const HeldCache self(cache);
    require(all.get, "remote.get");
    self->add_remote(std::move(owner));
  });
}

CUCORE_API cucore_status cucore_cache_add_remote_url(cucore_cache* cache, const char* url,
                                                     const cucore_cache_remote_options* options,
                                                     cucore_error** error) {
  return guard(error, [&] {
    const HeldCache self(cache);
    require(url, "url");
    const auto with = read(options);
    self->add_remote(std::make_unique<CallersRemote>(open_remote(url, with)));
  });
}

}  // extern "C"
