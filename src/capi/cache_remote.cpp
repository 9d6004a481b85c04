// A remote of the cache that the caller implements.
#include <cstddef>
#include <cstring>

#include "cache/cache.hpp"
#include "capi/guard.hpp"
#include "support/text.hpp"

using namespace cucore::capi;
using cucore::Error;
using cucore::Status;
namespace cache = cucore::cache;
namespace container = cucore::container;

namespace {

constexpr size_t FIRST_REMOTE = offsetof(cucore_cache_remote, name) + sizeof(const char*);

// Owns the context: closes it once, whatever happens.
class CallersRemote final : public cache::Remote {
 public:
  explicit CallersRemote(const cucore_cache_remote& remote)
      : remote_(remote), name_(remote.name ? remote.name : "a remote") {}
  ~CallersRemote() override {
    if (remote_.close) remote_.close(remote_.context);
  }
  CallersRemote(const CallersRemote&) = delete;
  CallersRemote& operator=(const CallersRemote&) = delete;

  cache::RemoteAnswer get(const container::Digest& key, cache::FileKind kind,
                          container::Bytes& out) override {
    const auto receive = [](const void* data, size_t size, void* receiver) {
      const auto* begin = static_cast<const std::byte*>(data);
      // Nothing thrown may pass through the caller's code; what is too large is not wanted.
      if (size <= cache::Remotes::LARGEST)
        guard(nullptr,
              [&] { static_cast<container::Bytes*>(receiver)->assign(begin, begin + size); });
    };
    return to_answer(
        remote_.get(remote_.context, cache::entry_name(key, kind).c_str(), receive, &out));
  }

  cache::RemoteAnswer put(const container::Digest& key, cache::FileKind kind,
                          std::span<const std::byte> bytes) override {
    return to_answer(remote_.put(remote_.context, cache::entry_name(key, kind).c_str(),
                                 bytes.data(), bytes.size()));
  }

  bool can_write() const override { return remote_.put != nullptr; }
  std::string name() const override { return name_; }

 private:
  static cache::RemoteAnswer to_answer(cucore_cache_answer answer) {
    if (answer == CUCORE_CACHE_ANSWER_DONE) return cache::RemoteAnswer::DONE;
    if (answer == CUCORE_CACHE_ANSWER_ABSENT) return cache::RemoteAnswer::ABSENT;
    return cache::RemoteAnswer::FAILED;
  }

  const cucore_cache_remote remote_;
  const std::string name_;
};

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_cache_add_remote(cucore_cache* cache,
                                                 const cucore_cache_remote* remote,
                                                 cucore_error** error) {
  return guard(error, [&] {
    require(remote, "remote");
    const auto all = cucore::read_options(remote, FIRST_REMOTE, "cucore_cache_remote");
    auto owner = std::make_unique<CallersRemote>(all);
    auto& self = use(cache, "cache");
    require(all.get, "remote.get");
    self.add_remote(std::move(owner));
  });
}

}  // extern "C"
