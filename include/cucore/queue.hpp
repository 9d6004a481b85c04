/// @file cucore/queue.hpp
/// Queues, from which a program takes completions.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_QUEUE_HPP_INCLUDED
#define CUCORE_QUEUE_HPP_INCLUDED

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "error.hpp"
#include "stream.hpp"
#include "types.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// The polling of a queue: latency against CPU use.
struct QueueOptions {
  /// Time of polling without a pause after the last future, at most 1 s. 0 means 50 us, -1 ns
  /// means never.
  std::chrono::nanoseconds spin{};
  /// Interval of polling after that, from 1 us to 1 s. 0 means 20 us.
  std::chrono::nanoseconds sweep{};
  /// How long a host function waits for resume(). 0 means 60 s.
  std::chrono::milliseconds host_timeout{};
};

/// A result of a queue: `token`, and `status`, which is CUCORE_OK or how the work failed. Of a host
/// function also `kind`, and a `ticket` for resume().
using Completion = cucore_completion;

/// The contents of a queue and what polling costs.
using QueueInfo = cucore_queue_info;

/// Collects the completions of futures. Any number of threads may take them out; each comes out
/// once, those of a stream in the order of the stream.
class Queue : public Owner<Queue, cucore_queue> {
 public:
  Queue() noexcept {}

  static Returned<Queue> create(const QueueOptions& options = {}) {
    cucore_queue_options c = CUCORE_QUEUE_OPTIONS_INIT;
    c.spin_ns = options.spin.count();
    c.sweep_ns = options.sweep.count();
    c.host_timeout_ms = static_cast<std::int32_t>(options.host_timeout.count());
    return make<Queue>(cucore_queue_create, &c);
  }

  /// A file descriptor that is readable while a completion waits and once the queue is closed, for
  /// poll() and event loops. It belongs to the queue: never read, write or close it.
  std::int32_t descriptor() const noexcept { return cucore_queue_descriptor(get()); }

  /// Waits until a completion is there, and takes as many as fit, oldest first; returns their
  /// number, 0 after the timeout. A timeout of 0 never waits. Fails with INVALID_STATE if the queue
  /// is closed and empty.
  Returned<std::size_t> wait(Span<Completion> out,
                             std::chrono::nanoseconds timeout = NO_TIMEOUT) const {
    return value<std::size_t>(cucore_queue_wait, get(), timeout.count(), out.data(), out.size());
  }

  /// The same for one completion; unset after the timeout.
  Returned<std::optional<Completion>> wait(std::chrono::nanoseconds timeout = NO_TIMEOUT) const {
    using Maybe = std::optional<Completion>;
    Completion out{};
    std::size_t count = 0;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_queue_wait(get(), timeout.count(), &out, 1, &count, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<Maybe>(status, error);
    return count ? Maybe(out) : Maybe();
  }

  /// Lets the stream go on that waits for a host function, by the ticket of its completion.
  Returned<void> resume(std::uint64_t ticket) const {
    return call(cucore_queue_resume, get(), ticket);
  }

  /// Ends the queue for all that wait. Completions in it can still be taken out.
  Returned<void> close() const { return call(cucore_queue_close, get()); }

  Returned<QueueInfo> query() const {
    QueueInfo out = CUCORE_QUEUE_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_queue_query(get(), &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<QueueInfo>(status, error);
    return out;
  }
};

inline Returned<void> Stream::launch_host_queued(const Queue& queue, std::uint64_t token,
                                                 bool waits) const {
  return call(cucore_stream_launch_host_queued, get(), queue.get(), token,
              static_cast<std::int32_t>(waits));
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_QUEUE_HPP_INCLUDED
