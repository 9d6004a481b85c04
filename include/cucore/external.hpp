/// @file cucore/external.hpp
/// Semaphores of other libraries, for example of Vulkan.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_EXTERNAL_HPP_INCLUDED
#define CUCORE_EXTERNAL_HPP_INCLUDED

#include <cstdint>

#include "stream.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// A semaphore of another library. Graphs and streams that use it keep it.
class External : public Owner<External, cucore_external> {
 public:
  External() noexcept {}

  /// Imports a semaphore. If that succeeds, the file descriptor belongs to the driver.
  static Returned<External> semaphore_from_descriptor(const Device& device, std::int32_t descriptor,
                                                      bool timeline = false) {
    return make<External>(cucore_external_semaphore_from_descriptor, device.get(), descriptor,
                          static_cast<std::int32_t>(timeline));
  }

  Returned<Device> device() const { return make<Device>(cucore_external_device, get()); }
  bool is_timeline() const noexcept { return cucore_external_is_timeline(get()) != 0; }

  /// Signals the semaphore when the work of the stream so far is complete. The value is the new
  /// number of a timeline.
  Returned<void> signal(std::uint64_t value, const Stream& stream) const {
    return call(cucore_external_signal, get(), value, stream.get());
  }

  /// Lets later work of the stream wait for the semaphore, a timeline until it has the value.
  Returned<void> wait(std::uint64_t value, const Stream& stream) const {
    return call(cucore_external_wait, get(), value, stream.get());
  }

  /// The CUexternalSemaphore: `native<CUexternalSemaphore>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_external_native(get()));
  }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_EXTERNAL_HPP_INCLUDED
