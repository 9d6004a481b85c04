// SPDX-License-Identifier: Apache-2.0
// Budget, primary context and pools of a CPU device.
#include "cpu/driver/device.hpp"

#include <cstdio>
#include <cstring>

#include "cpu/driver/context.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/pool.hpp"

namespace cucore::cpu {

Device::Device(int ordinal, const Profile& profile, uint64_t memory)
    : ordinal_(ordinal), profile_(profile), memory_(memory), limit_(memory) {
  default_pool_ = std::make_shared<Pool>(*this, 0);
  default_pool_->make_default();
  default_pool_->set_access(ordinal, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  Registry::instance().add(ObjectKind::POOL, default_pool_);
}

Device::~Device() = default;

CUuuid Device::uuid() const {
  CUuuid id{};
  std::memcpy(id.bytes, "cucore-cpu-dev\0", 15);
  id.bytes[15] = static_cast<char>(ordinal_);
  return id;
}

std::string Device::pci_bus_id() const {
  char text[16];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(ordinal_) & 0xff);
  return text;
}

bool Device::charge(uint64_t bytes) {
  uint64_t used = used_.load();
  do {
    if (bytes > limit_ || used > limit_ - bytes) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes));
  return true;
}

void Device::refund(uint64_t bytes) { used_ -= bytes; }

// The flags of the primary context. As in the real driver, it always maps host memory.
unsigned Device::context_flags(unsigned flags) {
  return (flags & ~unsigned{CU_CTX_USER_COREDUMP_ENABLE}) | CU_CTX_MAP_HOST;
}

std::shared_ptr<Context> Device::retain_primary() {
  std::lock_guard lock(mutex_);
  if (!primary_) {
    primary_ = std::make_shared<Context>(*this, true);
    Registry::instance().add(ObjectKind::CONTEXT, primary_);
  }
  if (!primary_->alive()) primary_->open(context_flags(primary_flags_));
  ++primary_count_;
  return primary_;
}

void Device::release_primary() {
  std::lock_guard lock(mutex_);
  require(primary_count_ > 0, CUDA_ERROR_INVALID_CONTEXT);
  if (--primary_count_ == 0) primary_->close();
}

void Device::reset_primary() {
  std::lock_guard lock(mutex_);
  if (primary_) primary_->close();
  primary_flags_ = 0;
}

void Device::set_primary_flags(unsigned flags) {
  std::lock_guard lock(mutex_);
  primary_flags_ = flags;
  if (primary_) primary_->set_flags(context_flags(flags));
}

void Device::primary_state(unsigned& flags, int& active) {
  std::lock_guard lock(mutex_);
  flags = primary_flags_;
  active = primary_ && primary_->alive();
}

std::shared_ptr<Pool> Device::current_pool() const {
  std::lock_guard lock(mutex_);
  return current_pool_ ? current_pool_ : default_pool_;
}

void Device::set_current_pool(std::shared_ptr<Pool> pool) {
  std::lock_guard lock(mutex_);
  current_pool_ = std::move(pool);
}

std::shared_ptr<Pool> Device::default_managed_pool(CUmemLocationType preferred) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Pool>& pool = default_managed_[preferred];
  if (!pool) {
    pool = std::make_shared<Pool>(*this, 0, nullptr, MemoryKind::MANAGED);
    pool->make_default();
    Registry::instance().add(ObjectKind::POOL, pool);
    pools_.push_back(pool);
  }
  return pool;
}

std::shared_ptr<Pool> Device::current_managed_pool(CUmemLocationType preferred) {
  {
    std::lock_guard lock(mutex_);
    auto found = current_managed_.find(preferred);
    if (found != current_managed_.end()) return found->second;
  }
  return default_managed_pool(preferred);
}

void Device::set_current_managed_pool(CUmemLocationType preferred, std::shared_ptr<Pool> pool) {
  std::lock_guard lock(mutex_);
  current_managed_[preferred] = std::move(pool);
}

// A pool that ends is no longer the current one of any location.
void Device::forget_current_pool(const Pool& pool) {
  std::lock_guard lock(mutex_);
  if (current_pool_.get() == &pool) current_pool_ = nullptr;
  std::erase_if(current_managed_, [&](const auto& entry) { return entry.second.get() == &pool; });
}

void Device::on_synchronize() {
  default_pool_->on_synchronize();
  std::vector<std::weak_ptr<Pool>> pools;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(pools_, [](const auto& pool) { return pool.expired(); });
    pools = pools_;
  }
  for (const auto& weak : pools)
    if (auto pool = weak.lock()) pool->on_synchronize();
}

void Device::add_pool(const std::shared_ptr<Pool>& pool) {
  std::lock_guard lock(mutex_);
  pools_.push_back(pool);
}

}  // namespace cucore::cpu
