// SPDX-License-Identifier: Apache-2.0
// The stream of a call whose users may leave it out.
#pragma once

#include "failure.hpp"
#include "held.hpp"

namespace cucore::bind {

// Holds the given stream, or the legacy default stream of the device.
class Order {
 public:
  Order(const cucore_device* device, cucore_stream* stream)
      : stream_(stream ? cucore_stream_retain(stream) : default_of(device)) {}
  Order(const cucore_event* event, cucore_stream* stream)
      : Order(cucore_event_device, event, stream) {}
  Order(const cucore_buffer* buffer, cucore_stream* stream)
      : Order(cucore_buffer_device, buffer, stream) {}
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;
  ~Order() { cucore_stream_release(stream_); }
  operator cucore_stream*() const { return stream_; }

 private:
  template <class Object>
  Order(cucore_status (*device_of)(const Object*, cucore_device**, cucore_error**),
        const Object* object, cucore_stream* stream) {
    if (stream) {
      stream_ = cucore_stream_retain(stream);
      return;
    }
    auto* device = made<cucore_device*>(device_of, object);
    const Held<cucore_device> held(device);
    cucore_device_release(device);
    stream_ = default_of(device);
  }

  static cucore_stream* default_of(const cucore_device* device) {
    return made<cucore_stream*>(cucore_device_default_stream, device, CUCORE_DEFAULT_STREAM_LEGACY);
  }

  cucore_stream* stream_ = nullptr;
};

}  // namespace cucore::bind
