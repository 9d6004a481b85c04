// SPDX-License-Identifier: Apache-2.0
#include "core/completion/future.hpp"

#include <memory>

#include "capi/observed.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

namespace {

// The handle is created first: after the stream is watched nothing can fail, and the completion
// will arrive.
cucore_future* make_future(const core::Stream& stream, core::Queue& queue, uint64_t token) {
  const auto future = cucore::make<core::Future>(cucore::Ref<core::Queue>(&queue), token);
  struct Release {
    void operator()(cucore_future* handle) const { release(handle); }
  };
  std::unique_ptr<cucore_future, Release> handle(wrap(future));
  future->watch(stream);
  return handle.release();
}

[[gnu::cold, gnu::noinline]] void wait_observed(const core::Future& future, int64_t timeout_ns) {
  core::observe({.kind = CUCORE_OPERATION_SYNCHRONIZE, .device = future.device()},
                [&](core::Operation&) { future.wait(timeout_ns); });
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_future_from_stream(const cucore_stream* stream, cucore_queue* queue,
                                                   uint64_t token, cucore_future** out,
                                                   cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Stream& on = use(stream, "stream");
    core::Queue& into = use(queue, "queue");
    require(out, "out");
    *out = make_future(on, into, token);
  });
}

CUCORE_API cucore_future* cucore_future_retain(const cucore_future* future) {
  return retain(future);
}

CUCORE_API void cucore_future_release(cucore_future* future) { release(future); }

CUCORE_API uint64_t cucore_future_token(const cucore_future* future) {
  const auto* self = peek(future);
  return self ? self->token() : 0;
}

CUCORE_API cucore_status cucore_future_query(const cucore_future* future, int32_t* done,
                                             cucore_error** error) {
  return guard(error, [&] {
    clear(done);
    const core::Future& self = use(future, "future");
    require(done, "done");
    *done = self.query();
  });
}

CUCORE_API cucore_status cucore_future_wait(const cucore_future* future, int64_t timeout_ns,
                                            cucore_error** error) {
  return guard(error, [&] {
    const core::Future& self = use(future, "future");
    if (is_observed(CUCORE_OPERATION_SYNCHRONIZE)) [[unlikely]]
      return wait_observed(self, timeout_ns);
    self.wait(timeout_ns);
  });
}

CUCORE_API cucore_status cucore_future_error(const cucore_future* future, cucore_error** error) {
  return guard(error, [&] { use(future, "future").require_success(); });
}

CUCORE_API cucore_status cucore_future_detach(const cucore_future* future, int32_t* detached,
                                              cucore_error** error) {
  return guard(error, [&] {
    clear(detached);
    const core::Future& self = use(future, "future");
    require(detached, "detached");
    *detached = self.detach();
  });
}

}  // extern "C"
