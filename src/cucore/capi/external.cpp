// SPDX-License-Identifier: Apache-2.0
#include "core/objects/external.hpp"

#include <memory>

#include "capi/guard.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

namespace {

void require_descriptor(int32_t descriptor) {
  if (descriptor < 0)
    throw cucore::Error(
        cucore::Status::INVALID_ARGUMENT,
        cucore::concat("descriptor is ", descriptor, "; expected a file descriptor, at least 0"));
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_external_semaphore_from_descriptor(const cucore_device* device,
                                                                   int32_t descriptor,
                                                                   int32_t timeline,
                                                                   cucore_external** out,
                                                                   cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    const bool is_timeline = require_flag(timeline, "timeline");
    require(out, "out");
    require_descriptor(descriptor);
    const auto semaphore = core::External::make_semaphore(on, is_timeline);
    std::unique_ptr<cucore_external, decltype(&cucore_external_release)> made(
        wrap(semaphore), &cucore_external_release);
    semaphore->import(descriptor);  // last, because the caller keeps the descriptor of a failure
    *out = made.release();
  });
}

CUCORE_API cucore_external* cucore_external_retain(const cucore_external* external) {
  return retain(external);
}

CUCORE_API void cucore_external_release(cucore_external* external) { release(external); }

CUCORE_API cucore_status cucore_external_device(const cucore_external* external,
                                                cucore_device** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::External& self = use(external, "external");
    require(out, "out");
    *out = wrap(self.device());
  });
}

CUCORE_API int32_t cucore_external_is_timeline(const cucore_external* external) {
  const auto* self = peek(external);
  return self ? self->is_timeline() : 0;
}

CUCORE_API cucore_status cucore_external_signal(const cucore_external* semaphore, uint64_t value,
                                                const cucore_stream* stream, cucore_error** error) {
  return guard(error, [&] {
    const core::External& self = use(semaphore, "semaphore");
    self.signal(value, use(stream, "stream"));
  });
}

CUCORE_API cucore_status cucore_external_wait(const cucore_external* semaphore, uint64_t value,
                                              const cucore_stream* stream, cucore_error** error) {
  return guard(error, [&] {
    const core::External& self = use(semaphore, "semaphore");
    self.wait(value, use(stream, "stream"));
  });
}

CUCORE_API void* cucore_external_native(const cucore_external* external) {
  const auto* self = peek(external);
  return self ? self->native() : nullptr;
}

}  // extern "C"
