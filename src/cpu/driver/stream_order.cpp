// SPDX-License-Identifier: Apache-2.0
// Vector clocks.
#include "cpu/driver/stream_order.hpp"

#include <algorithm>
#include <mutex>

#include "cpu/checks/check_set.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

struct Clocks {
  std::mutex mutex;
  StreamClock host;
  uint32_t streams = 0;
};
Clocks& clocks() {
  static Clocks& instance = *new Clocks;  // never destroyed
  return instance;
}

void join(StreamClock& into, const StreamClock& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

OrderedStream& ordered(Stream& stream) {
  OrderedStream& o = stream.order();
  if (o.number == 0) o.number = ++clocks().streams;
  return o;
}

// Applies the rules of the default stream. The caller has locked the clocks.
void join_earlier(Stream& stream) {
  StreamClock& clock = ordered(stream).clock;
  join(clock, clocks().host);
  for (const auto& other : stream.context().streams_before(stream))
    join(clock, ordered(*other).clock);
}

}  // namespace

bool orders_streams() { return enabled_checks() & CHECK_HOST; }

std::shared_ptr<StreamWork> next_operation(Stream& stream) {
  if (!orders_streams()) return nullptr;
  auto operation = std::make_shared<StreamWork>();
  std::lock_guard lock(clocks().mutex);
  join_earlier(stream);
  OrderedStream& o = ordered(stream);
  operation->before = std::make_shared<const StreamClock>(o.clock);
  if (o.clock.size() <= o.number) o.clock.resize(o.number + 1);
  operation->stream = o.number;
  operation->position = ++o.clock[o.number];
  operation->name = origin_of_thread().text();
  return operation;
}

std::shared_ptr<StreamWork> part_of(const std::shared_ptr<StreamWork>& whole) {
  if (!whole) return nullptr;
  auto before = std::make_shared<StreamClock>(*whole->before);
  if (before->size() <= whole->stream) before->resize(whole->stream + 1);
  (*before)[whole->stream] = whole->position;
  auto part = std::make_shared<StreamWork>();
  part->name = whole->name;
  part->stream = whole->stream;
  part->position = whole->position;
  part->before = std::move(before);
  return part;
}

ClockCopy clock_of(Stream& stream) {
  if (!orders_streams()) return nullptr;
  std::lock_guard lock(clocks().mutex);
  join_earlier(stream);
  return std::make_shared<const StreamClock>(ordered(stream).clock);
}

void order_after(Stream& stream, const ClockCopy& clock) {
  if (!clock) return;
  std::lock_guard lock(clocks().mutex);
  join(ordered(stream).clock, *clock);
}

void host_waited(const ClockCopy& clock) {
  if (!clock) return;
  std::lock_guard lock(clocks().mutex);
  join(clocks().host, *clock);
}

void host_waited(Stream& stream) { host_waited(clock_of(stream)); }

}  // namespace cucore::cpu
