// SPDX-License-Identifier: Apache-2.0
// An operation that a session looks at, from its begin to its end.
#pragma once

#include <memory>

#include "perf/profile/session.hpp"

namespace cucore::perf {

// The lowest bit of the state of a launch that is only counted, whose state is its row.
inline constexpr uintptr_t COUNTED = 1;

// The observer's state points to it otherwise.
struct Session::InFlight {
  double start = 0;                                // in seconds since the begin of the session
  LaunchRow* row = nullptr;                        // of a launch
  uint32_t calls = 1;                              // that it stands for
  std::shared_ptr<const Declaration> declaration;  // of the kernel of a launch
  LaunchAmounts declared;
  std::unique_ptr<EventPair> pair;
  double timing_cost = 0;    // seconds of the host; 0: not timed
  double first_event = 0;    // when it was recorded
  bool is_first = false;     // the first timed launch of its entry
  bool awaits_time = false;  // calls like this have been timed, and no time has arrived
  bool is_counted = false;   // by the hardware
  bool is_recorded = false;  // by CUPTI
};

}  // namespace cucore::perf
