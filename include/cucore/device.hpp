/// @file cucore/device.hpp
/// Devices, their properties and their contexts.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_DEVICE_HPP_INCLUDED
#define CUCORE_DEVICE_HPP_INCLUDED

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "error.hpp"
#include "types.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// A compute capability, 9 and 0 for sm_90.
struct ComputeCapability {
  std::int32_t major = 0;
  std::int32_t minor = 0;
};

/// Device memory at one moment.
struct DeviceMemory {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};

/// The range of stream priorities: `greatest` is a lower number and runs first.
struct StreamPriorities {
  std::int32_t least = 0;  ///< the default
  std::int32_t greatest = 0;
};

/// A GPU, or the CPU device.
class Device : public Owner<Device, cucore_device> {
 public:
  Device() noexcept {}

  /// The number of devices of the driver in use; 0 without a driver.
  static Returned<std::int32_t> count() { return value<std::int32_t>(cucore_device_count); }

  /// Opens a device. Its primary context is made by the first call that needs it, and kept.
  /// Fails with LIBRARY_MISSING without a driver, with INVALID_ARGUMENT for an unknown ordinal.
  static Returned<Device> open(std::int32_t ordinal = 0) {
    return make<Device>(cucore_device_open, ordinal);
  }

  std::int32_t ordinal() const noexcept { return cucore_device_ordinal(get()); }
  /// "NVIDIA H200".
  std::string_view name() const noexcept { return cucore_device_name(get()); }
  /// The architecture to compile for, "sm_90".
  std::string_view arch() const noexcept { return cucore_device_arch(get()); }
  /// The address on the PCI bus, "0000:1b:00.0".
  std::string_view pci_bus_id() const noexcept { return cucore_device_pci_bus_id(get()); }
  /// Whether this is the CPU device, which runs PTX and no machine code.
  bool is_emulated() const noexcept { return cucore_device_is_emulated(get()) != 0; }

  Returned<ComputeCapability> compute_capability() const {
    ComputeCapability out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_device_compute_capability(get(), &out.major, &out.minor, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<ComputeCapability>(status, error);
    return out;
  }

  /// One property. A number of CUdevice_attribute that has no name here may be cast.
  Returned<std::int32_t> attribute(DeviceAttribute name) const {
    return value<std::int32_t>(cucore_device_attribute, get(),
                               static_cast<cucore_device_attribute_name>(name));
  }

  Returned<Uuid> uuid() const {
    Uuid out{};
    cucore_error* error = nullptr;
    const cucore_status status = cucore_device_uuid(get(), out.data(), &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Uuid>(status, error);
    return out;
  }

  /// Free and total device memory, at this moment.
  Returned<DeviceMemory> memory() const {
    DeviceMemory out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_device_memory(get(), &out.free_bytes, &out.total_bytes, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<DeviceMemory>(status, error);
    return out;
  }

  /// Whether kernels on this device may use the memory of `peer` directly.
  Returned<bool> can_access_peer(const Device& peer) const {
    return value<std::int32_t, bool>(cucore_device_can_access_peer, get(), peer.get());
  }

  Returned<StreamPriorities> stream_priorities() const {
    StreamPriorities out;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_device_stream_priorities(get(), &out.least, &out.greatest, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<StreamPriorities>(status, error);
    return out;
  }

  /// Waits until all work of the device is complete. Fails with KERNEL_FAULT if a kernel broke the
  /// context.
  Returned<void> synchronize() const { return call(cucore_device_synchronize, get()); }

  /// The CUcontext, the device's primary one: `native_context<CUcontext>()`.
  template <class T = void*>
  T native_context() const noexcept {
    return static_cast<T>(cucore_device_native_context(get()));
  }

  /// One of the default streams. `per_thread` is the calling thread's at each use.
  Returned<Stream> default_stream(DefaultStream kind = DefaultStream::legacy) const;

  /// The pool that buffers come from: that of set_pool(), else the driver's default pool.
  Returned<Pool> pool() const;
  /// Sets the pool that buffers come from; an empty one is the driver's default pool.
  Returned<void> set_pool(const Pool& pool) const;

  /// The memory that graphs of the device have.
  Returned<cucore_graph_memory_info> graph_memory() const {
    cucore_graph_memory_info out = CUCORE_GRAPH_MEMORY_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_device_graph_memory(get(), &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<cucore_graph_memory_info>(status, error);
    return out;
  }

  /// Gives memory that no launch of a graph uses back to the device.
  Returned<void> trim_graph_memory(bool reset_peaks = false) const {
    return call(cucore_device_trim_graph_memory, get(), static_cast<std::int32_t>(reset_peaks));
  }

  /// Destroys the primary context and everything in it, and makes a new one: cucore_device_reset().
  /// Streams, events and buffers made before fail with INVALID_STATE from then on. `reset()`, as in
  /// every owner, only releases the reference.
  Returned<void> reset_context() const { return call(cucore_device_reset, get()); }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_DEVICE_HPP_INCLUDED
