// SPDX-License-Identifier: Apache-2.0
#include "core/objects/event.hpp"

#include <cstddef>

#include "capi/observed.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_EVENT_OPTIONS = offsetof(cucore_event_options, reserved) + sizeof(int32_t);

core::EventOptions read(const cucore_event_options* given) {
  if (!given) return {};
  const auto options = cucore::read_options(given, FIRST_EVENT_OPTIONS, "cucore_event_options");
  core::EventOptions out;
  out.timing = require_flag(options.timing, "cucore_event_options.timing");
  out.blocking_sync = require_flag(options.blocking_sync, "cucore_event_options.blocking_sync");
  out.interprocess = require_flag(options.interprocess, "cucore_event_options.interprocess");
  require_zero(options.reserved, "cucore_event_options.reserved");
  if (out.timing && out.interprocess)
    throw cucore::Error(
        cucore::Status::INVALID_ARGUMENT,
        "cucore_event_options: an interprocess event has no timing; set one of them");
  return out;
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_event_create(const cucore_device* device,
                                             const cucore_event_options* options,
                                             cucore_event** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = wrap(core::Event::create(on, read(options)));
  });
}

CUCORE_API cucore_event* cucore_event_retain(const cucore_event* event) { return retain(event); }

CUCORE_API void cucore_event_release(cucore_event* event) { release(event); }

CUCORE_API cucore_status cucore_event_device(const cucore_event* event, cucore_device** out,
                                             cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Event& self = use(event, "event");
    require(out, "out");
    *out = wrap(self.device());
  });
}

CUCORE_API int32_t cucore_event_has_timing(const cucore_event* event) {
  const auto* self = peek(event);
  return self && self->has_timing();
}

CUCORE_API int32_t cucore_event_is_blocking_sync(const cucore_event* event) {
  const auto* self = peek(event);
  return self && self->is_blocking_sync();
}

CUCORE_API cucore_status cucore_event_record(cucore_event* event, const cucore_stream* stream,
                                             cucore_error** error) {
  return guard(error, [&] { use(event, "event").record(use(stream, "stream")); });
}

CUCORE_API cucore_status cucore_event_synchronize(const cucore_event* event, cucore_error** error) {
  return guard(error, [&] {
    const core::Event& self = use(event, "event");
    if (is_observed(CUCORE_OPERATION_SYNCHRONIZE)) [[unlikely]]
      return synchronize_observed(self, &self.device(), nullptr);
    self.synchronize();
  });
}

CUCORE_API cucore_status cucore_event_query(const cucore_event* event, int32_t* done,
                                            cucore_error** error) {
  return guard(error, [&] {
    clear(done);
    const core::Event& self = use(event, "event");
    require(done, "done");
    *done = self.query();
  });
}

CUCORE_API cucore_status cucore_event_elapsed(const cucore_event* start, const cucore_event* end,
                                              float* milliseconds, cucore_error** error) {
  return guard(error, [&] {
    clear(milliseconds);
    const core::Event& from = use(start, "start");
    const core::Event& to = use(end, "end");
    require(milliseconds, "milliseconds");
    *milliseconds = core::Event::elapsed(from, to);
  });
}

CUCORE_API void* cucore_event_native(const cucore_event* event) {
  const auto* self = peek(event);
  return self ? self->hand_out() : nullptr;
}

}  // extern "C"
