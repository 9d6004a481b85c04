// SPDX-License-Identifier: Apache-2.0
// Objects of the library and data of the program that a graph of the driver keeps.
#pragma once

#include <atomic>
#include <utility>

#include "support/ref.hpp"

namespace cucore::core {

class KeptObject : public Object {
 public:
  // The graph was lost in a reset of the device. The driver may never end its reference, so
  // functions of the program that wait for the end run now.
  virtual void forget() const noexcept {}
};

// Data of the program with the function that ends it, which runs exactly once.
class UserData {
 public:
  using Destroy = void (*)(void* user_data);
  UserData(void* data, Destroy destroy) noexcept : data_(data), destroy_(destroy) {}
  UserData(UserData&& other) noexcept
      : data_(other.data_), destroy_(other.destroy_.exchange(nullptr)) {}
  UserData& operator=(UserData&&) = delete;
  ~UserData() { end(); }

  void* data() const { return data_; }
  bool has_end() const { return destroy_.load() != nullptr; }
  void end() const noexcept {
    if (const Destroy destroy = destroy_.exchange(nullptr)) destroy(data_);
  }

 private:
  void* const data_;
  mutable std::atomic<Destroy> destroy_;
};

class HeldData final : public KeptObject {
 public:
  explicit HeldData(UserData data) noexcept : data_(std::move(data)) {}
  void forget() const noexcept override { data_.end(); }

 private:
  ~HeldData() override = default;
  const UserData data_;
};

}  // namespace cucore::core
