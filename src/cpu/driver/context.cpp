// SPDX-License-Identifier: Apache-2.0
// Lifetime, error state and order of work of a context.
#include "cpu/driver/context.hpp"

#include <algorithm>

#include "cpu/checks/reports.hpp"
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/check_session.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/graph/graph_memory.hpp"
#include "cpu/driver/leak_reports.hpp"
#include "cpu/driver/leaks.hpp"
#include "cpu/driver/library.hpp"
#include "cpu/driver/pool.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/driver/thread_state.hpp"
#include "cpu/exec/executor.hpp"

namespace cucore::cpu {
namespace {

std::atomic<uint64_t> next_context_id{1};

std::map<CUlimit, size_t> default_limits(const Profile& profile) {
  const int most_shared = profile.value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  std::map<CUlimit, size_t> limits = {{CU_LIMIT_STACK_SIZE, 1024},
                                      {CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20},
                                      {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20},
                                      {CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2},
                                      {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048},
                                      {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64},
                                      {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0},
                                      {CU_LIMIT_SHMEM_SIZE, static_cast<size_t>(most_shared)},
                                      {CU_LIMIT_CIG_ENABLED, 0}};
  if (profile.sm() >= 90) limits.erase(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH);
  return limits;
}

}  // namespace

Context::Context(Device& device, bool primary)
    : device_(device),
      id_(next_context_id++),
      primary_(primary),
      limits_(default_limits(device.profile())) {}

void Context::open(unsigned flags) {
  flags_ = flags;
  auto legacy = std::make_shared<Stream>(shared_from_this(), Stream::Type::LEGACY, LEAST_PRIORITY);
  std::lock_guard lock(order_mutex_);
  legacy_ = legacy;
  streams_ = {legacy};
  alive_.store(true, std::memory_order_release);
}

void Context::close() {
  {
    std::lock_guard lock(order_mutex_);
    if (!alive_.exchange(false)) return;
  }
  for (const auto& stream : all_streams()) leave_capture(*stream);
  for (const Ticket& ticket : last_tickets()) ticket.wait();
  output_.flush();
  end_handles();
  Allocations::Leak memory = Allocations::instance().release_all(id_);
  const GraphMemoryLeak of_graphs = end_graph_memory(id_);
  memory.count += of_graphs.count;
  memory.bytes += of_graphs.bytes;
  record_leaks(*this, memory);
  reset_state();
  release_heap(device_.ordinal());
  device_.default_pool()->trim(0);
  if (Process::get().settings.checks && !is_session_running())
    Process::get().settings.check_output.write();
}

void Context::end_handles() {
  std::unordered_map<uint64_t, ObjectKind> children;
  {
    std::lock_guard lock(mutex_);
    children.swap(children_);
  }
  auto leaked = children;
  take_graphs_of(*this, leaked);
  count_leaked_handles(*this, leaked);
  report_leaks_of(*this, leaked);
  for (auto [handle, kind] : children) Registry::instance().remove(kind, handle);
}

void Context::reset_state() {
  std::map<uint64_t, std::shared_ptr<ModuleInstance>> instances;
  std::vector<std::shared_ptr<Stream>> streams;
  {
    std::lock_guard lock(mutex_);
    instances.swap(instances_);
    limits_ = default_limits(device_.profile());
    peers_.clear();
    fault_text_.clear();
    sticky_ = CUDA_SUCCESS;
  }
  {
    std::lock_guard lock(order_mutex_);
    streams.swap(streams_);
    legacy_.reset();
  }
  for (const auto& stream : streams) {
    stream->queue()->retire();
    retire_order(*stream);
  }
  host_waited_for_retired();
}

CUresult Context::error() const {
  if (!alive()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return sticky_.load(std::memory_order_acquire);
}

void Context::poison(CUresult code, std::string text) {
  std::lock_guard lock(mutex_);
  if (sticky_ != CUDA_SUCCESS) return;
  fault_text_ = std::move(text);
  sticky_.store(code, std::memory_order_release);
}

std::string Context::fault_text() const {
  std::lock_guard lock(mutex_);
  return fault_text_;
}

std::shared_ptr<Stream> Context::legacy_stream() {
  std::lock_guard lock(order_mutex_);
  require(legacy_ != nullptr, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return legacy_;
}

bool Context::legacy_idle() {
  std::lock_guard lock(order_mutex_);
  return std::all_of(streams_.begin(), streams_.end(), [](const auto& stream) {
    return stream->type() == Stream::Type::NON_BLOCKING || stream->queue()->idle();
  });
}

std::shared_ptr<Stream> Context::thread_stream() {
  auto& mine = thread_state().default_streams;
  // A primary context may be open again after its close, with new streams.
  std::erase_if(mine, [](const auto& s) { return s->queue()->retired(); });
  for (const auto& stream : mine)
    if (&stream->context() == this) return stream;
  auto stream =
      std::make_shared<Stream>(shared_from_this(), Stream::Type::PER_THREAD, LEAST_PRIORITY);
  add_stream(stream);
  mine.push_back(stream);
  return stream;
}

void Context::add_stream(const std::shared_ptr<Stream>& stream) {
  std::vector<std::shared_ptr<Stream>> ended;
  {
    std::lock_guard lock(order_mutex_);
    require(alive(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    // Removes streams that only this list refers to and that have no work.
    const auto kept = std::stable_partition(streams_.begin(), streams_.end(), [](const auto& s) {
      return s.use_count() != 1 || !s->queue()->idle();
    });
    ended.assign(kept, streams_.end());
    streams_.erase(kept, streams_.end());
    streams_.push_back(stream);
  }
  for (const auto& s : ended) retire_order(*s);
}

std::vector<std::shared_ptr<Stream>> Context::all_streams() {
  std::lock_guard lock(order_mutex_);
  return streams_;
}

std::vector<Ticket> Context::last_tickets() {
  std::lock_guard lock(order_mutex_);
  std::vector<Ticket> tickets;
  for (const auto& stream : streams_) tickets.push_back(stream->queue()->last());
  return tickets;
}

void Context::synchronize() {
  for (const Ticket& ticket : last_tickets()) ticket.wait();
  if (orders_streams())
    for (const auto& stream : all_streams()) host_waited(*stream);
  host_waited_for_retired();
  output_.flush();
  device_.on_synchronize();
  check();
}

// The caller has locked the order of work.
std::vector<std::shared_ptr<Stream>> Context::before(const Stream& stream) const {
  std::vector<std::shared_ptr<Stream>> found;
  if (stream.type() == Stream::Type::LEGACY) {
    for (const auto& other : streams_) {
      bool waits =
          other->type() == Stream::Type::BLOCKING || other->type() == Stream::Type::PER_THREAD;
      if (waits) found.push_back(other);
    }
  } else if (stream.type() != Stream::Type::NON_BLOCKING && legacy_) {
    found.push_back(legacy_);
  }
  return found;
}

std::vector<std::shared_ptr<Stream>> Context::streams_before(const Stream& stream) {
  std::lock_guard lock(order_mutex_);
  return before(stream);
}

void Context::order(const Stream& stream, std::vector<Ticket>& after) {
  if (stream.type() == Stream::Type::LEGACY) {
    for (const auto& other : streams_) {
      bool waits =
          other->type() == Stream::Type::BLOCKING || other->type() == Stream::Type::PER_THREAD;
      if (waits) after.push_back(other->queue()->last());
    }
  } else if (stream.type() != Stream::Type::NON_BLOCKING) {
    after.push_back(legacy_->queue()->last());
  }
  std::erase_if(after, [](const Ticket& ticket) { return ticket.done(); });
}

Ticket Context::submit(Stream& stream, Queue::Work work, std::vector<Ticket> after,
                       bool may_claim) {
  bool claimed = false;
  Ticket ticket;
  {
    std::lock_guard lock(order_mutex_);
    require(alive(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    order(stream, after);
    ticket = stream.queue()->push(work, std::move(after), may_claim, claimed);
  }
  if (claimed)
    stream.queue()->run_claimed(std::move(work));
  else if (Process::get().settings.synchronous)
    ticket.wait();
  return ticket;
}

void Context::adopt(ObjectKind kind, uint64_t handle) {
  std::lock_guard lock(mutex_);
  children_.emplace(handle, kind);
}

void Context::disown(uint64_t handle) {
  std::lock_guard lock(mutex_);
  children_.erase(handle);
}

std::shared_ptr<ModuleInstance> Context::instance(
    const Library& library, const std::function<std::shared_ptr<ModuleInstance>()>& make) {
  std::lock_guard lock(mutex_);
  auto& slot = instances_[library.id()];
  if (!slot) slot = make();
  return slot;
}

std::shared_ptr<ModuleInstance> Context::find_instance(const Library& library) const {
  std::lock_guard lock(mutex_);
  auto found = instances_.find(library.id());
  return found == instances_.end() ? nullptr : found->second;
}

void Context::drop_instance(const Library& library) {
  std::shared_ptr<ModuleInstance> gone;
  std::lock_guard lock(mutex_);
  auto found = instances_.find(library.id());
  if (found == instances_.end()) return;
  gone = std::move(found->second);
  instances_.erase(found);
}

size_t Context::limit(CUlimit which) const {
  std::lock_guard lock(mutex_);
  auto found = limits_.find(which);
  require(found != limits_.end(), CUDA_ERROR_UNSUPPORTED_LIMIT);
  return found->second;
}

void Context::set_limit(CUlimit which, size_t value) {
  std::lock_guard lock(mutex_);
  auto found = limits_.find(which);
  require(found != limits_.end(), CUDA_ERROR_UNSUPPORTED_LIMIT);
  found->second = value;
}

bool Context::enable_peer(const Context& peer) {
  std::lock_guard lock(mutex_);
  return peers_.emplace(peer.id(), peer.device().ordinal()).second;
}

bool Context::disable_peer(const Context& peer) {
  std::lock_guard lock(mutex_);
  return peers_.erase(peer.id()) == 1;
}

bool Context::reaches(const Device& device) const {
  if (&device == &device_) return true;
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(peers_, [&](const auto& p) { return p.second == device.ordinal(); });
}

uint64_t Context::accessible_devices() const {
  std::lock_guard lock(mutex_);
  uint64_t bits = uint64_t{1} << device_.ordinal();
  for (const auto& [id, ordinal] : peers_) bits |= uint64_t{1} << ordinal;
  bits |= device_.pool_peers();
  return bits;
}

}  // namespace cucore::cpu
