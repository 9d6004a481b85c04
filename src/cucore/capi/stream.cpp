// SPDX-License-Identifier: Apache-2.0
#include "core/objects/stream.hpp"

#include <cstddef>
#include <utility>

#include "capi/guard.hpp"
#include "capi/launch_handles.hpp"
#include "capi/observed.hpp"
#include "core/completion/host_call.hpp"
#include "core/graph/capture.hpp"
#include "core/load/access_window.hpp"
#include "core/objects/capturable_streams.hpp"
#include "core/objects/stream_words.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_STREAM_OPTIONS = offsetof(cucore_stream_options, priority) + sizeof(int32_t);

cucore::Ref<core::Stream> create(const core::Device& device, const cucore_stream_options* given) {
  const auto options = cucore::read_options(given, FIRST_STREAM_OPTIONS, "cucore_stream_options");
  return core::Stream::create(
      device, require_toggle(options.nonblocking, true, "cucore_stream_options.nonblocking"),
      options.priority);
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_stream_create(const cucore_device* device,
                                              const cucore_stream_options* options,
                                              cucore_stream** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = wrap(create(on, options));
  });
}

CUCORE_API cucore_status cucore_stream_from_native(const cucore_device* device, void* native,
                                                   cucore_stream** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = wrap(core::Stream::from_native(on, static_cast<CUstream>(native)));
  });
}

CUCORE_API cucore_stream* cucore_stream_retain(const cucore_stream* stream) {
  return retain(stream);
}

// Buffers may keep the stream, but a capture ends with the handle, without which no call can end
// it.
CUCORE_API void cucore_stream_release(cucore_stream* stream) {
  const auto* self = peek(stream);
  if (!self || self->begun_capture() == 0) [[likely]]
    return release(stream);
  const cucore::Ref<const core::Stream> kept(self);
  release(stream);
  if (!peek(stream)) core::abort_capture(*kept);
}

CUCORE_API cucore_status cucore_stream_device(const cucore_stream* stream, cucore_device** out,
                                              cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Stream& self = use(stream, "stream");
    require(out, "out");
    *out = wrap(self.device());
  });
}

CUCORE_API cucore_status cucore_stream_synchronize(const cucore_stream* stream,
                                                   cucore_error** error) {
  return guard(error, [&] {
    const core::Stream& self = use(stream, "stream");
    if (is_observed(CUCORE_OPERATION_SYNCHRONIZE)) [[unlikely]]
      return synchronize_observed(self, nullptr, &self);
    self.synchronize();
  });
}

CUCORE_API cucore_status cucore_stream_query(const cucore_stream* stream, int32_t* done,
                                             cucore_error** error) {
  return guard(error, [&] {
    clear(done);
    const core::Stream& self = use(stream, "stream");
    require(done, "done");
    *done = self.query();
  });
}

CUCORE_API cucore_status cucore_stream_wait_event(const cucore_stream* stream,
                                                  const cucore_event* event, cucore_error** error) {
  return guard(error, [&] { use(stream, "stream").wait(use(event, "event")); });
}

CUCORE_API cucore_status cucore_stream_wait_stream(const cucore_stream* stream,
                                                   const cucore_stream* other,
                                                   cucore_error** error) {
  return guard(error, [&] { use(stream, "stream").wait(use(other, "other")); });
}

CUCORE_API cucore_status cucore_stream_set_access_window(const cucore_stream* stream,
                                                         const cucore_access_window* window,
                                                         cucore_error** error) {
  return guard(error,
               [&] { core::set_access_window(use(stream, "stream"), window, BUFFER_HANDLES); });
}

CUCORE_API cucore_status cucore_stream_launch_host(const cucore_stream* stream, cucore_host_fn fn,
                                                   void* user_data, cucore_destroy_fn destroy,
                                                   cucore_error** error) {
  return guard(error, [&] {
    core::UserData data(user_data, destroy);  // ends with the call unless the function keeps it
    const core::Stream& self = use(stream, "stream");
    require(fn, "fn");
    core::launch_host(self, fn, std::move(data));
  });
}

CUCORE_API cucore_status cucore_stream_launch_host_queued(const cucore_stream* stream,
                                                          cucore_queue* queue, uint64_t token,
                                                          int32_t waits, cucore_error** error) {
  return guard(error, [&] {
    const core::Stream& self = use(stream, "stream");
    auto to = share(queue, "queue");
    to->require_open();
    const bool is_awaited = require_flag(waits, "waits");
    core::launch_host(self, *cucore::make<core::QueuedHostCall>(std::move(to), token, is_awaited));
  });
}

CUCORE_API cucore_status cucore_stream_write_value(const cucore_stream* stream,
                                                   cucore_buffer* buffer, size_t offset,
                                                   uint64_t value, size_t size,
                                                   cucore_error** error) {
  return guard(error, [&] {
    const core::Stream& self = use(stream, "stream");
    core::write_word(self, use(buffer, "buffer"), offset, value, size);
  });
}

CUCORE_API cucore_status cucore_stream_wait_value(const cucore_stream* stream,
                                                  const cucore_buffer* buffer, size_t offset,
                                                  uint64_t value, size_t size,
                                                  cucore_comparison comparison,
                                                  cucore_error** error) {
  return guard(error, [&] {
    const core::Stream& self = use(stream, "stream");
    core::wait_for_word(self, use(buffer, "buffer"), offset, value, size, comparison);
  });
}

CUCORE_API int32_t cucore_stream_priority(const cucore_stream* stream) {
  const auto* self = peek(stream);
  return self ? self->traits().priority : 0;
}

CUCORE_API int32_t cucore_stream_is_nonblocking(const cucore_stream* stream) {
  const auto* self = peek(stream);
  return self && self->traits().is_nonblocking;
}

CUCORE_API int32_t cucore_stream_is_capturing(const cucore_stream* stream) {
  bool is_capturing = false;
  if (const auto* self = peek(stream)) guard(nullptr, [&] { is_capturing = self->is_capturing(); });
  return is_capturing;
}

CUCORE_API uint64_t cucore_stream_id(const cucore_stream* stream) {
  const auto* self = peek(stream);
  return self ? self->identity() : 0;
}

CUCORE_API void* cucore_stream_native(const cucore_stream* stream) {
  const auto* self = peek(stream);
  if (!self) return nullptr;
  (void)core::add_capturable(*self);
  return self->hand_out();
}

}  // extern "C"
