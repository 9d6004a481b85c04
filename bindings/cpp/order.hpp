// SPDX-License-Identifier: Apache-2.0
// The stream of a call whose users may leave it out.
#pragma once

#include <cucore/device.hpp>
#include <cucore/pool.hpp>
#include <cucore/stream.hpp>

#include "failure.hpp"

namespace cucore::bind {

// Holds the given stream, or the legacy default stream of the device.
class Order {
 public:
  Order(const cucore_device* device, const cucore_stream* stream)
      : stream_(stream ? Stream::share(stream) : default_of(device)) {}
  Order(const cucore_event* event, const cucore_stream* stream)
      : Order(cucore_event_device, event, stream) {}
  Order(const cucore_buffer* buffer, const cucore_stream* stream)
      : Order(cucore_buffer_device, buffer, stream) {}
  Order(const cucore_pool* pool, const cucore_stream* stream)
      : Order(cucore_pool_device, pool, stream) {}
  operator const cucore_stream*() const { return stream_.get(); }

 private:
  template <class Object>
  Order(cucore_status (*device_of)(const Object*, cucore_device**, cucore_error**),
        const Object* object, const cucore_stream* stream)
      : stream_(stream ? Stream::share(stream)
                       : default_of(Device::adopt(made<cucore_device*>(device_of, object)).get())) {
  }

  static Stream default_of(const cucore_device* device) {
    return Stream::adopt(
        made<cucore_stream*>(cucore_device_default_stream, device, CUCORE_DEFAULT_STREAM_LEGACY));
  }

  Stream stream_;
};

}  // namespace cucore::bind
