/// @file cucore/future.hpp
/// Futures: the end of the work that is in a stream.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_FUTURE_HPP_INCLUDED
#define CUCORE_FUTURE_HPP_INCLUDED

#include <chrono>
#include <cstdint>
#include <utility>

#include "queue.hpp"
#include "stream.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// All the work that was in a stream at one moment.
class Future : public Owner<Future, cucore_future> {
 public:
  Future() noexcept {}

  /// Makes a future of the present work of the stream. Its completion, with the token, comes out of
  /// the queue, even if the future is released before.
  static Returned<Future> from_stream(const Stream& stream, const Queue& queue,
                                      std::uint64_t token) {
    return make<Future>(cucore_future_from_stream, stream.get(), queue.get(), token);
  }

  std::uint64_t token() const noexcept { return cucore_future_token(get()); }

  /// Whether the work is complete; does not wait. Fails as the work did.
  Returned<bool> query() const { return value<std::int32_t, bool>(cucore_future_query, get()); }

  /// Waits until the work is complete, at most so long; false after the timeout. Fails as the work
  /// did.
  Returned<bool> wait(std::chrono::nanoseconds timeout = NO_TIMEOUT) const {
    cucore_error* error = nullptr;
    const cucore_status status = cucore_future_wait(get(), timeout.count(), &error);
    if (status == CUCORE_ERROR_NOT_READY) cucore_error_release(std::exchange(error, nullptr));
    if (status != CUCORE_OK && status != CUCORE_ERROR_NOT_READY)
      return detail::failed<bool>(status, error);
    return status == CUCORE_OK;
  }

  /// How the work ended, without asking the driver: no error, its failure, or `Status::not_ready`.
  Error error() const noexcept {
    cucore_error* error = nullptr;
    const cucore_status status = cucore_future_error(get(), &error);
    return Error(status, error);
  }

  /// Separates the future from its queue. True if its completion will never come out of the queue;
  /// false if it is in the queue or was taken out.
  Returned<bool> detach() const { return value<std::int32_t, bool>(cucore_future_detach, get()); }
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_FUTURE_HPP_INCLUDED
