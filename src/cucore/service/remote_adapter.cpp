// SPDX-License-Identifier: Apache-2.0
#include "service/remote_adapter.hpp"

#include "cache/quietly.hpp"
#include "support/url.hpp"

namespace cucore::service {
namespace {

struct Received {
  image::Bytes& bytes;
  bool is_refused = false;
};

// No exception may pass through the code of the remote, which calls this.
void receive(const void* data, size_t size, void* receiver) {
  auto& received = *static_cast<Received*>(receiver);
  const auto* begin = static_cast<const std::byte*>(data);
  const bool is_valid = (data || size == 0) && size <= cache::Remotes::LARGEST;
  if (!is_valid ||
      !cache::quietly([&] { return received.bytes.assign(begin, begin + size), true; }))
    received.is_refused = true;
}

cache::RemoteAnswer to_answer(cucore_cache_answer answer) {
  if (answer == CUCORE_CACHE_ANSWER_DONE) return cache::RemoteAnswer::DONE;
  if (answer == CUCORE_CACHE_ANSWER_ABSENT) return cache::RemoteAnswer::ABSENT;
  return cache::RemoteAnswer::FAILED;
}

}  // namespace

RemoteAdapter::RemoteAdapter(const cucore_cache_remote& remote)
    : remote_(remote), name_(without_login(remote.name ? remote.name : "a remote")) {}

RemoteAdapter::~RemoteAdapter() {
  if (remote_.close) remote_.close(remote_.context);
}

cache::RemoteAnswer RemoteAdapter::get(const container::Digest& key, cache::FileKind kind,
                                       image::Bytes& out) {
  Received received{out};
  const cucore_cache_answer answer =
      remote_.get(remote_.context, cache::entry_name(key, kind).c_str(), receive, &received);
  return received.is_refused ? cache::RemoteAnswer::FAILED : to_answer(answer);
}

cache::RemoteAnswer RemoteAdapter::put(const container::Digest& key, cache::FileKind kind,
                                       std::span<const std::byte> bytes) {
  return to_answer(remote_.put(remote_.context, cache::entry_name(key, kind).c_str(), bytes.data(),
                               bytes.size()));
}

}  // namespace cucore::service
