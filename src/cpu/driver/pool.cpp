// SPDX-License-Identifier: Apache-2.0
// Accounting and stream order of memory pools.
#include "cpu/driver/pool.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/checks/transfers.hpp"
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu {
namespace {
constexpr uint64_t UNIT = 512;
uint64_t rounded(uint64_t size) { return (size + UNIT - 1) / UNIT * UNIT; }
}  // namespace

std::shared_ptr<Pool> Pool::import(Device& device, std::shared_ptr<SharedMemory> identity) {
  auto pool = std::make_shared<Pool>(device, 0, std::move(identity));
  pool->imported_ = true;
  pool->set_access(device.ordinal(), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  return pool;
}

Pool::~Pool() { refund(reserved_); }

// Managed memory is the host's, so the device's budget does not contain it.
void Pool::refund(uint64_t size) {
  if (memory_kind_ == MemoryKind::DEVICE) device_.refund(size);
}

void Pool::close() {
  {
    std::lock_guard lock(mutex_);
    threshold_ = 0;
  }
  trim(0);
}

bool Pool::reserve(uint64_t size) {
  std::lock_guard lock(mutex_);
  uint64_t need = used_ + size > reserved_ ? used_ + size - reserved_ : 0;
  if (max_size_ && used_ + size > max_size_) return false;
  if (memory_kind_ == MemoryKind::DEVICE && !device_.charge(need)) return false;
  used_ += size;
  reserved_ += need;
  used_high_ = std::max(used_high_, used_);
  reserved_high_ = std::max(reserved_high_, reserved_);
  return true;
}

void Pool::wait_for_frees() {
  std::vector<Ticket> pending;
  {
    std::lock_guard lock(mutex_);
    pending.swap(pending_frees_);
  }
  for (const Ticket& ticket : pending) ticket.wait();
}

uint64_t Pool::allocate(Stream& stream, uint64_t size) {
  require(!imported_);
  require(size <= UINT64_MAX / 2, CUDA_ERROR_OUT_OF_MEMORY);
  if (!reserve(rounded(size))) {
    wait_for_frees();
    device_.default_pool()->trim(0);
    require(reserve(rounded(size)), CUDA_ERROR_OUT_OF_MEMORY);
  }
  try {
    return allocate_reserved(stream.context(), size);
  } catch (...) {
    returned(size);
    throw;
  }
}

uint64_t Pool::allocate_reserved(const Context& context, uint64_t size) {
  Allocations& allocations = Allocations::instance();
  const unsigned flags = memory_kind_ == MemoryKind::MANAGED ? CU_MEM_ATTACH_GLOBAL : 0;
  if (!identity_)
    return allocations.allocate(context, memory_kind_, size, flags, shared_from_this());
  auto memory = SharedMemory::create(SharedKind::MEMORY, size, device_.ordinal(),
                                     identity_->header().handle_types);
  require(memory != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
  return allocations.allocate_shared(context, std::move(memory), Source::OWN, shared_from_this());
}

void Pool::release(Stream& stream, uint64_t address) {
  require(Allocations::instance().begin_async_free(address));
  auto free = [address, origin = origin_of_thread(), operation = next_operation(stream)] {
    origin_of_thread() = origin;
    Transfer(operation).frees(address);
    Allocations::instance().release(address);
    origin_of_thread() = {};
  };
  Ticket ticket = stream.submit(std::move(free), Stream::Run::ALWAYS);
  std::lock_guard lock(mutex_);
  std::erase_if(pending_frees_, [](const Ticket& t) { return t.done(); });
  pending_frees_.push_back(std::move(ticket));
}

void Pool::returned(uint64_t size) {
  std::lock_guard lock(mutex_);
  used_ -= std::min(used_, rounded(size));
}

void Pool::trim(uint64_t keep) {
  std::lock_guard lock(mutex_);
  uint64_t target = std::max(used_, keep);
  if (reserved_ <= target) return;
  refund(reserved_ - target);
  reserved_ = target;
}

void Pool::on_synchronize() {
  uint64_t keep;
  {
    std::lock_guard lock(mutex_);
    keep = threshold_;
  }
  trim(keep);
}

void Pool::get(CUmemPool_attribute which, void* value) const {
  std::lock_guard lock(mutex_);
  auto number = [value](uint64_t v) { std::memcpy(value, &v, sizeof v); };
  switch (which) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      std::memcpy(value, &reuse_[which - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES],
                  sizeof(int));
      return;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return number(threshold_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return number(reserved_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return number(reserved_high_);
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return number(used_);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return number(used_high_);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

void Pool::set(CUmemPool_attribute which, const void* value) {
  std::lock_guard lock(mutex_);
  uint64_t number = 0;
  int on = 0;
  switch (which) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      std::memcpy(&on, value, sizeof on);
      reuse_[which - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = on != 0;
      return;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      std::memcpy(&threshold_, value, sizeof threshold_);
      return;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      std::memcpy(&number, value, sizeof number);
      require(number == 0);  // a high watermark can only be reset
      (which == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? used_high_ : reserved_high_) =
          which == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? used_ : reserved_;
      return;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

void Pool::set_access(int device, CUmemAccess_flags flags) {
  std::lock_guard lock(mutex_);
  access_[device] = flags;
}

CUmemAccess_flags Pool::access(int device) const {
  if (memory_kind_ == MemoryKind::MANAGED) return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  std::lock_guard lock(mutex_);
  auto found = access_.find(device);
  return found == access_.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : found->second;
}

}  // namespace cucore::cpu
