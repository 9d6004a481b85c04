// SPDX-License-Identifier: Apache-2.0
// The order of work of different streams, for the check `host`: vector clocks of streams and
// events. All threads of the program count as one, because the order between them is unknown.
#pragma once

#include <memory>
#include <string>

#include "cpu/checks/segments.hpp"

namespace cucore::cpu {

class Stream;
using ClockCopy = std::shared_ptr<const StreamClock>;

// The clock of one stream. The functions below lock all clocks together.
struct OrderedStream {
  uint32_t number = 0;
  StreamClock clock;
};

bool orders_streams();  // whether the check is enabled

// Returns the next operation of the stream, after everything that CUDA's rules put before it;
// nullptr if the check is disabled.
std::shared_ptr<StreamWork> next_operation(Stream& stream);
// Returns an operation for a part of a larger one, for example a node of a graph. The order of
// parts of one operation is not checked.
std::shared_ptr<StreamWork> part_of(const std::shared_ptr<StreamWork>& whole);
ClockCopy clock_of(Stream& stream);  // nullptr if the check is disabled
// `stream` continues after the work that the clock contains.
void order_after(Stream& stream, const ClockCopy& clock);
// The program has waited for work.
void host_waited(const ClockCopy& clock);
void host_waited(Stream& stream);
// The program can delay the work that the stream receives from now on, for example by a host
// function. The order of that work with the program is unknown until the program has waited for
// later work of the stream.
void note_gate(Stream& stream);
// The stream leaves its context. A wait for the whole context includes it.
void retire_order(Stream& stream);
void host_waited_for_retired();

// Called at the end of each call of the program. If the call has begun work for which the program
// has not waited, its accesses to managed memory are observed from now on.
void settle_host_views();

}  // namespace cucore::cpu
