// SPDX-License-Identifier: Apache-2.0
// Runs planned kernels on the stream of a context.
#pragma once

#include "array/run/context.hpp"
#include "array/run/index_checks.hpp"
#include "array/run/prepared.hpp"

namespace cucore::array {

class DeviceStorage final : public Storage {
 public:
  DeviceStorage(NativeBuffer buffer, uint64_t offset, bool pinned, CountedBytes bytes,
                std::shared_ptr<void> owner = nullptr);

  cucore_buffer* buffer() const noexcept { return buffer_.get(); }
  uint64_t offset() const noexcept { return offset_; }
  const std::shared_ptr<void>& owner() const noexcept { return owner_; }
  uint64_t address() const noexcept { return cucore_buffer_address(buffer_.get()) + offset_; }

  CheckSet checks;  // of the kernels that computed the elements

 private:
  CountedBytes bytes_;  // until the buffer is released
  const NativeBuffer buffer_;
  const uint64_t offset_;
  const std::shared_ptr<void> owner_;  // of memory of others, which goes back to it
};

class DeviceMachine final : public Machine {
 public:
  explicit DeviceMachine(Context& context) : context_(context) {}

  Ref<Storage> allocate(int64_t bytes) override;
  void copy(Storage& to, Storage& from, int64_t bytes) override;
  void launch(const Kernel& kernel, std::span<Storage* const> inputs,
              std::span<Storage* const> outputs) override;

 private:
  void launch(const PreparedForm& form, const PreparedKernel& prepared,
              const std::vector<LaunchPlan>& plans);

  Context& context_;
};

}  // namespace cucore::array
