// SPDX-License-Identifier: Apache-2.0
#include "core/completion/queue.hpp"

#include <cstddef>

#include "capi/guard.hpp"
#include "core/completion/completion_poller.hpp"
#include "support/concat.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

namespace {

constexpr size_t FIRST_QUEUE_OPTIONS = offsetof(cucore_queue_options, sweep_ns) + sizeof(int64_t);
constexpr size_t FIRST_QUEUE_INFO = offsetof(cucore_queue_info, reserved) + sizeof(int32_t);
constexpr int64_t SECOND = 1'000'000'000, SHORTEST_SWEEP = 1'000;

static_assert(sizeof(cucore_completion) == 32);

void require_range(int64_t value, int64_t least, const char* field, const char* range) {
  if (value < least || value > SECOND)
    throw cucore::Error(cucore::Status::INVALID_ARGUMENT,
                        cucore::concat(field, " is ", value, ", not ", range));
}

core::QueueOptions read(const cucore_queue_options* given) {
  const auto options = cucore::read_options(given, FIRST_QUEUE_OPTIONS, "cucore_queue_options");
  core::QueueOptions out;
  require_range(options.spin_ns, -1, "cucore_queue_options.spin_ns", "-1 to 1000000000");
  if (options.spin_ns != 0) out.spin_ns = options.spin_ns == -1 ? 0 : options.spin_ns;
  cucore::require_zero(options.reserved, "cucore_queue_options.reserved");
  if (options.host_timeout_ms < 0)
    throw cucore::Error(cucore::Status::INVALID_ARGUMENT,
                        cucore::concat("cucore_queue_options.host_timeout_ms is ",
                                       options.host_timeout_ms, "; expected 0 to 2147483647"));
  if (options.host_timeout_ms != 0) out.host_timeout_ms = options.host_timeout_ms;
  if (options.sweep_ns == 0) return out;
  require_range(options.sweep_ns, SHORTEST_SWEEP, "cucore_queue_options.sweep_ns",
                "0, or 1000 to 1000000000");
  out.sweep_ns = options.sweep_ns;
  return out;
}

cucore_queue_info describe(const core::Queue& queue) {
  const core::Queue::Counts counts = queue.counts();
  cucore_queue_info info = CUCORE_QUEUE_INFO_INIT;
  info.pending = counts.pending;
  info.waiting = counts.waiting;
  info.completed = counts.completed;
  info.is_closed = counts.closed;
  info.cpu_ns = core::CompletionPoller::cpu_ns();
  return info;
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_queue_create(const cucore_queue_options* options,
                                             cucore_queue** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *out = wrap(core::Queue::create(read(options)));
  });
}

CUCORE_API cucore_status cucore_queue_resume(cucore_queue* queue, uint64_t ticket,
                                             cucore_error** error) {
  return guard(error, [&] { use(queue, "queue").resume(ticket); });
}

CUCORE_API cucore_queue* cucore_queue_retain(const cucore_queue* queue) { return retain(queue); }

CUCORE_API void cucore_queue_release(cucore_queue* queue) { release(queue); }

CUCORE_API int32_t cucore_queue_descriptor(const cucore_queue* queue) {
  const auto* self = peek(queue);
  return self ? self->descriptor() : -1;
}

CUCORE_API cucore_status cucore_queue_wait(const cucore_queue* queue, int64_t timeout_ns,
                                           cucore_completion* out, size_t capacity, size_t* count,
                                           cucore_error** error) {
  return guard(error, [&] {
    clear(count);
    core::Queue& self = use(queue, "queue");
    if (capacity != 0) require(out, "out");
    require(count, "count");
    *count = self.wait(timeout_ns, {out, capacity});
  });
}

CUCORE_API cucore_status cucore_queue_close(cucore_queue* queue, cucore_error** error) {
  return guard(error, [&] { use(queue, "queue").close(); });
}

CUCORE_API cucore_status cucore_queue_query(const cucore_queue* queue, cucore_queue_info* out,
                                            cucore_error** error) {
  return guard(error, [&] {
    cucore::clear_info(require(out, "out"), FIRST_QUEUE_INFO);
    cucore::write_info(out, describe(use(queue, "queue")), FIRST_QUEUE_INFO, "cucore_queue_info");
  });
}

}  // extern "C"
