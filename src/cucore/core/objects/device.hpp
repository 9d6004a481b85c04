// SPDX-License-Identifier: Apache-2.0
// A device of the driver in use: its fixed properties, read once, and its primary context.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/objects/context.hpp"

namespace cucore::core {

// The limits that launches are checked against, read once when the device is opened.
struct DeviceLimits {
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> block{};
  uint32_t threads_per_block = 0;
  uint32_t shared_per_block = 0;        // without the opt-in
  uint32_t shared_per_block_optin = 0;  // with the opt-in
  uint32_t access_window = 0;           // bytes; 0: the device has none
  uint32_t memory_domains = 0;          // of synchronization
  bool cooperative = false;
  bool clusters = false;
  bool pools = false;
  bool managed = false;
};

class CompletionPoller;

class Device final : public Object {
 public:
  static int count();
  // Device objects live as long as the process: contexts and streams refer to them.
  static Ref<Device> open(int ordinal);

  int ordinal() const { return ordinal_; }
  CUdevice native() const { return native_; }
  const std::string& name() const { return name_; }
  const std::string& arch() const { return arch_; }
  const std::string& pci_bus_id() const { return pci_bus_id_; }
  const std::array<uint8_t, 16>& uuid() const { return uuid_; }
  int major() const { return major_; }
  int minor() const { return minor_; }
  uint16_t capability() const { return static_cast<uint16_t>(major_ * 10 + minor_); }
  bool is_emulated() const { return emulated_; }
  const DeviceLimits& limits() const { return limits_; }
  std::string label() const;  // "device 0"

  int attribute(int number) const;
  void memory(size_t& free_bytes, size_t& total_bytes) const;
  bool can_access_peer(const Device& peer) const;
  void stream_priorities(int& least, int& greatest) const;
  // Throws INVALID_ARGUMENT if no stream of the device can have the priority. Queries the driver
  // once for each device, so that launches with a priority stay one driver call.
  void require_priority(int priority, const char* field) const;
  void synchronize() const;
  // Throws KERNEL_FAULT if the driver makes no new context in a process with a broken one.
  void reset() const;

  // Returns the primary context, created on demand and kept until reset().
  Ref<Context> context() const;

  // Null until a future awaits work of the device. See CompletionPoller::of().
  std::atomic<CompletionPoller*>& completion_poller() const { return completion_poller_; }

  // Null, or the handle in the observed operations of the device. The C API keeps it while the
  // process has an observer.
  std::atomic<void*>& observed_handle() const { return observed_handle_; }

 private:
  explicit Device(int ordinal);
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);
  void read_properties();
  void read_limits();
  uint32_t limit(CUdevice_attribute attribute) const;

  const int ordinal_;
  CUdevice native_ = 0;
  std::string name_, arch_, pci_bus_id_;
  std::array<uint8_t, 16> uuid_{};
  int major_ = 0, minor_ = 0;
  bool emulated_ = false;
  DeviceLimits limits_;
  const Ref<Context>& retain_context() const;  // call with mutex_ held
  void read_priorities(CUcontext context) const;

  mutable std::mutex mutex_;
  mutable Ref<Context> context_;
  mutable std::atomic<CompletionPoller*> completion_poller_{nullptr};
  mutable std::atomic<void*> observed_handle_{nullptr};
  struct Priorities {
    int least, greatest;
  };
  mutable std::atomic<Priorities> priorities_{{0, 1}};  // no priority fits until they are known
};

}  // namespace cucore::core
