// SPDX-License-Identifier: Apache-2.0
// Vector clocks.
#include "cpu/driver/stream_order.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/host_work.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/exec/host_views.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

// A place of a stream in its clock.
struct Position {
  uint32_t stream = 0, number = 0;
};

struct Clocks {
  std::mutex mutex;
  // The work that the program has waited for. Its own place counts the operations of streams: an
  // access of the program happened before those that come later.
  StreamClock host;
  StreamClock issued;   // all operations
  StreamClock retired;  // of streams that left their context
  std::vector<Position> gates;
  HostWork host_work;  // valid while `host` is unchanged
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

bool includes(const StreamClock& clock, const Position& position) {
  return position.stream < clock.size() && clock[position.stream] >= position.number;
}

// The next two change what the program has waited for. The caller has locked the clocks.
void wait_for(const StreamClock& clock) {
  join(clocks().host, clock);
  clocks().host_work = {};
  std::erase_if(clocks().gates, [](const Position& p) { return includes(clocks().host, p); });
}
void count_operation() {
  StreamClock& host = clocks().host;
  if (host.empty()) host.resize(1);
  ++host[HOST_STREAM];
  clocks().host_work = {};
}

// Whether the program has waited for all work.
bool is_idle() {
  const StreamClock &host = clocks().host, &issued = clocks().issued;
  for (uint32_t s = HOST_STREAM + 1; s < issued.size(); ++s)
    if (!includes(host, {s, issued[s]})) return false;
  return true;
}

uint32_t take_position(OrderedStream& o) {
  if (o.clock.size() <= o.number) o.clock.resize(o.number + 1);
  return ++o.clock[o.number];
}

std::atomic<bool> g_settles{false};  // work has begun since the last settle_host_views()

// Runs before each access of the program to a closed view.
void observe(const HostAccess& access) {
  if (!orders_streams()) return HostViews::instance().open();
  // The driver and host functions have an order of their own.
  if (origin_of_thread().call || in_callback()) return;
  HostWork work;
  {
    std::lock_guard lock(clocks().mutex);
    Clocks& c = clocks();
    if (!c.host_work.work)
      c.host_work = begin_host_work(std::make_shared<const StreamClock>(c.host),
                                    (c.host.empty() ? 0 : c.host[HOST_STREAM]) + 1);
    work = c.host_work;
  }
  check_host_access(work, access);
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
  count_operation();
  join_earlier(stream);
  OrderedStream& o = ordered(stream);
  operation->before = std::make_shared<const StreamClock>(o.clock);
  operation->stream = o.number;
  operation->position = take_position(o);
  operation->name = origin_of_thread().text();
  operation->may_follow_host = !clocks().gates.empty();
  StreamClock& issued = clocks().issued;
  if (issued.size() <= o.number) issued.resize(o.number + 1);
  issued[o.number] = operation->position;
  g_settles.store(true, std::memory_order_release);
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
  part->may_follow_host = whole->may_follow_host.load();
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
  bool idle = false;
  {
    std::lock_guard lock(clocks().mutex);
    wait_for(*clock);
    idle = is_idle();
  }
  if (idle) HostViews::instance().open();
}

void host_waited(Stream& stream) { host_waited(clock_of(stream)); }

void note_gate(Stream& stream) {
  if (!orders_streams()) return;
  std::lock_guard lock(clocks().mutex);
  join_earlier(stream);
  OrderedStream& o = ordered(stream);
  const uint32_t position = take_position(o);
  clocks().gates.push_back({o.number, position});
}

void retire_order(Stream& stream) {
  if (!orders_streams()) return;
  std::lock_guard lock(clocks().mutex);
  join(clocks().retired, ordered(stream).clock);
}

void host_waited_for_retired() {
  if (!orders_streams()) return;
  ClockCopy retired;
  {
    std::lock_guard lock(clocks().mutex);
    retired = std::make_shared<const StreamClock>(clocks().retired);
  }
  host_waited(retired);
}

void settle_host_views() {
  if (!g_settles.load(std::memory_order_acquire) || !g_settles.exchange(false)) return;
  {
    std::lock_guard lock(clocks().mutex);
    if (is_idle()) return;
  }
  HostViews::instance().observe(observe);
  HostViews::instance().close();
  // Another thread may have waited for the work before the views were closed.
  std::lock_guard lock(clocks().mutex);
  if (is_idle()) HostViews::instance().open();
}

}  // namespace cucore::cpu
