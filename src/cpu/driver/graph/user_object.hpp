// SPDX-License-Identifier: Apache-2.0
// User objects: data of the program that graphs keep. The last reference calls the program's
// function on a thread of the driver.
#pragma once

#include <atomic>
#include <map>
#include <memory>

#include "cpu/driver/cuda_api.hpp"
#include "cpu/driver/registry.hpp"

namespace cucore::cpu {

class UserObject : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::USER_OBJECT;
  UserObject(void* data, CUhostFn destroy, unsigned count)
      : data_(data), destroy_(destroy), count_(count) {}

  void retain(uint64_t count);
  // Throws INVALID_VALUE if fewer references exist. The last one ends the handle and queues the
  // function.
  void release(uint64_t count);

 private:
  void* const data_;
  const CUhostFn destroy_;
  std::atomic<uint64_t> count_;
};

// The references that one graph or executable holds. A copy holds as many.
class UserObjectList {
 public:
  UserObjectList() = default;
  ~UserObjectList();
  UserObjectList(const UserObjectList& other);
  UserObjectList& operator=(UserObjectList other) noexcept;
  UserObjectList(UserObjectList&& other) noexcept : counts_(std::move(other.counts_)) {
    other.counts_.clear();
  }

  void add(const std::shared_ptr<UserObject>& object, uint64_t count);     // takes them over
  void remove(const std::shared_ptr<UserObject>& object, uint64_t count);  // and releases them

 private:
  std::map<std::shared_ptr<UserObject>, uint64_t> counts_;
};

}  // namespace cucore::cpu
