// SPDX-License-Identifier: Apache-2.0
// The part of the wall time that the timing of calls may take, and the choice of the timed calls
// that keeps to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "perf/profile/sampling.hpp"

namespace cucore::perf {

// The time that the two events of a timed call take on a stream that has further work, in seconds.
// On an H200 a pair around each launch adds 3.2 us to kernels of 11 and of 102 us.
inline constexpr double DEVICE_COST = 3.2e-6;

// The wall time is that of the host, or of the longest stream where the host is ahead of the
// device. The caller guards it by a lock. Times are seconds since the begin of the session.
class TimingBudget {
 public:
  // `fraction` of the wall time, 0 to 1.
  explicit TimingBudget(double fraction) : fraction_(fraction) {}

  // Adds work that a stream got, which takes `seconds` on the device as far as that is known.
  void add_work(const void* stream, double seconds, double now);
  // Adds a timed call, which took the host `seconds`.
  void add_timing(double seconds);

  // Returns the probability with which a call of work that takes `mean` seconds is timed. NaN: no
  // time has arrived, so that no more calls are timed.
  double probability(double mean) const;
  // Returns whether the wall time until now pays for one more timed call.
  bool pays() const;

 private:
  static constexpr double WINDOW = 5e-3;  // seconds

  double cost() const { return host_cost_ + DEVICE_COST; }
  double wall() const;  // of the window
  void end_window(double now);

  const double fraction_;
  double host_cost_ = 5e-6;        // of a timed call: a guess, and then a mean that follows changes
  double credit_ = 0;              // seconds that earlier windows left
  double spent_ = 0;               // since then
  double begin_ = 0, now_ = 0;     // of the window
  double work_ = 0, longest_ = 0;  // of all streams, of one stream
  std::unordered_map<const void*, double> streams_;  // work in the window
  double concurrency_ = 1;                           // of the work in earlier windows, at least 1
};

// The calls between two that a session looks at.
struct Spacing {
  double mean = 1;
  uint32_t drawn = 1;  // from 1 to 2 * mean - 1
};

// Returns a random spacing with this mean, so that programs with a period are sampled evenly.
Spacing draw_spacing(double mean, uint64_t sequence);

}  // namespace cucore::perf
