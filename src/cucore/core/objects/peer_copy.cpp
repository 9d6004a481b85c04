// SPDX-License-Identifier: Apache-2.0
#include "core/objects/peer_copy.hpp"

#include <array>

#include "core/objects/context_access.hpp"
#include "core/objects/pool.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

constexpr int ACCESS_SINCE = 11020;

// Returns null for other memory. Other libraries can have made the pool, also that of a buffer of
// cucore_buffer_create(). The memory of a node has the access that the node was made with.
CUmemoryPool pool_of(const Buffer& buffer) {
  CUmemoryPool pool = nullptr;
  if (buffer.size() == 0 || buffer.graph_memory()) return nullptr;
  const CUresult result = driver::cuda().cuPointerGetAttribute(
      &pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, buffer.address());
  return result == CUDA_SUCCESS ? pool : nullptr;
}

CUmemAccessDesc access_of(const Device& user) {
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, {user.native()}};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return access;
}

bool is_open(CUmemoryPool pool, const Device& user) {
  const auto get_access =
      driver::require(driver::cuda().cuMemPoolGetAccess, "cuMemPoolGetAccess", ACCESS_SINCE);
  CUmemAccessDesc access = access_of(user);
  const CUresult result = get_access(&access.flags, pool, &access.location);
  return result == CUDA_SUCCESS && access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

// The pool of a buffer, and the device of the other buffer of the copy.
struct PeerPool {
  const Buffer& buffer;
  const Device& user;
  CUmemoryPool pool;          // null: none
  bool is_open = true;        // to the device
  std::string obstacle = {};  // the reason why it stays closed

  bool stays_closed() const { return !obstacle.empty(); }
  std::string refusal() const;
  void require_openable() const;
  void open() const;
};

// A pool of cucore_pool_create() is not opened. Driver 580 crashes or hangs after the end of pools
// that were open to another H200, while the default pools do not end.
PeerPool find_pool(const Buffer& buffer, const Device& user) {
  const ContextAccess context_access(*buffer.context(), "buffer");
  const CUmemoryPool pool = pool_of(buffer);
  const driver::RelaxedCaptures relaxed;
  PeerPool found{buffer, user, pool, !pool || is_open(pool, user)};
  if (found.is_open) return found;
  if (!user.can_access_peer(buffer.device()))
    found.obstacle = concat(user.label(), " cannot use memory of ", buffer.device().label());
  else if (pool != Pool::default_of(buffer.context())->native())
    found.obstacle = concat("the buffer is of a memory pool that is not open to ", user.label());
  return found;
}

std::string PeerPool::refusal() const {
  if (!stays_closed()) return {};
  return concat("a node cannot copy between ", buffer.device().label(), " and ", user.label(), ": ",
                obstacle, "; copy outside graphs, or use managed or pinned memory");
}

void PeerPool::require_openable() const {
  if (stays_closed()) throw Error(Status::UNSUPPORTED, refusal());
}

void PeerPool::open() const {
  if (is_open || stays_closed()) return;
  const ContextAccess context_access(*buffer.context(), "buffer");
  const driver::RelaxedCaptures relaxed;
  const auto set_access =
      driver::require(driver::cuda().cuMemPoolSetAccess, "cuMemPoolSetAccess", ACCESS_SINCE);
  const CUmemAccessDesc access = access_of(user);
  driver::check(set_access(pool, &access, 1), [&] {
    return concat("let ", user.label(), " use the default pool of ", buffer.device().label());
  });
}

std::array<PeerPool, 2> pools_of(const Buffer& a, const Buffer& b) {
  return {find_pool(a, b.device()), find_pool(b, a.device())};
}

bool join_devices(const Buffer& a, const Buffer& b) { return &a.device() != &b.device(); }

// Borrowed memory can be of the program, which no context has.
bool has_context(const Buffer& buffer) {
  return buffer.kind() != Buffer::Kind::BORROWED || buffer.memory_kind() != MemoryKind::UNKNOWN;
}

void open_pools_for(const Device& node, const Buffer& a, const Buffer& b) {
  const auto pools = pools_of(a, b);
  const auto is_used = [&](const PeerPool& pool) { return &pool.user == &node; };
  for (const PeerPool& pool : pools)
    if (is_used(pool)) pool.require_openable();
  const bool are_both_of_pools = pools[0].pool && pools[1].pool;
  for (const PeerPool& pool : pools)
    if (are_both_of_pools || is_used(pool)) pool.open();
}

std::string open_pools_to_each_other(const Buffer& a, const Buffer& b) {
  const auto pools = pools_of(a, b);
  if (pools[0].stays_closed()) pools[1].require_openable();
  for (const PeerPool& pool : pools) pool.open();
  return pools[0].refusal() + pools[1].refusal();
}

}  // namespace

CopyCall prepare_copy(const Buffer& destination, const Buffer& source, const Stream& stream) {
  if (!join_devices(destination, source)) return CopyCall::ADDRESSES;
  if (makes_nodes(stream)) {
    open_pools_for(stream.device(), destination, source);
    return CopyCall::ADDRESSES;
  }
  return has_context(destination) && has_context(source) ? CopyCall::CONTEXTS : CopyCall::ADDRESSES;
}

std::string open_pools(CopyNode node, const Buffer& destination, const Buffer& source) {
  if (!join_devices(destination, source)) return {};
  if (node == CopyNode::SET) return open_pools_to_each_other(destination, source);
  open_pools_for(destination.device(), destination, source);
  return {};
}

}  // namespace cucore::core
