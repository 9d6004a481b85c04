// SPDX-License-Identifier: Apache-2.0
#include "perf/report/trace_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace cucore::perf {
namespace {

constexpr uint64_t FURTHER_LANES = uint64_t{1} << 24;  // between two lanes of one stream

constexpr double MOST_SECONDS = 4e9;  // so that sums of nanoseconds have room

int64_t nanoseconds(double seconds) {
  return seconds > 0 ? std::llround(std::min(seconds, MOST_SECONDS) * 1e9) : 0;
}

struct LaneInterval {
  int64_t begin, end;
};

// The intervals of one lane that are still open, the innermost last.
class OpenIntervals {
 public:
  // Returns false if the interval would overlap an open one in part.
  bool add(const LaneInterval& next) {
    while (!ends_.empty() && ends_.back() <= next.begin) ends_.pop_back();
    if (!ends_.empty() && ends_.back() < next.end) return false;
    ends_.push_back(next.end);
    return true;
  }

 private:
  std::vector<int64_t> ends_;
};

// The kernels of one stream, one after the other.
class KernelLane {
 public:
  LaneInterval add(LaneInterval kernel) {
    if (!kernels_.empty()) kernel.begin = std::max(kernel.begin, kernels_.back().end);
    kernel.end = std::max(kernel.end, kernel.begin);
    kernels_.push_back(kernel);
    return kernel;
  }

  // Whether the interval contains each kernel that it touches.
  bool has_room_for(const LaneInterval& other) const {
    const auto first =
        std::upper_bound(kernels_.begin(), kernels_.end(), other.begin,
                         [](int64_t at, const LaneInterval& each) { return at < each.end; });
    for (auto each = first; each != kernels_.end() && each->begin < other.end; ++each)
      if (each->begin < other.begin || each->end > other.end) return false;
    return true;
  }

 private:
  std::vector<LaneInterval> kernels_;
};

// Numbers of streams that are too large get others.
class StreamLanes {
 public:
  uint64_t of(uint64_t stream) {
    if (stream < FURTHER_LANES / 2) return stream;
    return large_.try_emplace(stream, FURTHER_LANES / 2 + large_.size()).first->second;
  }

 private:
  std::map<uint64_t, uint64_t> large_;
};

}  // namespace

std::vector<LanePlace> trace_lanes(const std::vector<TimelineRecord>& records) {
  using Key = std::pair<uint64_t, uint64_t>;
  std::map<Key, KernelLane> kernels;
  std::map<Key, std::vector<OpenIntervals>> others;
  StreamLanes streams;
  std::vector<LanePlace> places;
  for (const TimelineRecord& record : records) {
    LanePlace& place = places.emplace_back();
    place.process = record.kind == RecordKind::RANGE ? HOST_PROCESS : record.device;
    place.stream = record.stream;
    place.lane = streams.of(record.stream);
    place.start = nanoseconds(record.start);
    place.duration = nanoseconds(record.duration);
    if (record.kind != RecordKind::KERNEL) continue;
    const LaneInterval moved =
        kernels[{place.process, place.lane}].add({place.start, place.start + place.duration});
    place.start = moved.begin;
    place.duration = moved.end - moved.begin;
  }
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].kind == RecordKind::KERNEL) continue;
    LanePlace& place = places[i];
    const Key key{place.process, place.lane};
    const LaneInterval interval{place.start, place.start + place.duration};
    std::vector<OpenIntervals>& lanes = others[key];
    if (lanes.empty()) lanes.emplace_back();
    size_t lane = kernels[key].has_room_for(interval) ? 0 : 1;
    for (;; ++lane) {
      if (lane == lanes.size()) lanes.emplace_back();
      if (lanes[lane].add(interval)) break;
    }
    place.lane += lane * FURTHER_LANES;
    place.is_further = lane != 0;
  }
  return places;
}

}  // namespace cucore::perf
