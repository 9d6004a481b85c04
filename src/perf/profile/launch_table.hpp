// SPDX-License-Identifier: Apache-2.0
// The launches of a session: an entry per kernel, device and geometry.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "perf/measure/device.hpp"
#include "perf/profile/argument_lists.hpp"
#include "perf/profile/sampling.hpp"

namespace cucore::perf {

// Bytes and operations of one launch; 0: unknown.
struct LaunchAmounts {
  double bytes_read = 0, bytes_written = 0, operations = 0;
};

// Returns the amounts of a launch of a kernel, for its author.
using Declaration = std::function<LaunchAmounts(const cucore_operation& launch)>;

// Of the first timed launch. The driver loads the code of a kernel at its first launch. The host
// may then take long between the events, while the stream is idle.
struct FirstTime {
  double seconds = UNKNOWN;  // between the events
  double host = 0;           // that the host took between them
  bool is_idle = false;      // the seconds are without the wait of an idle stream

  // Returns the time without a load; UNKNOWN if the other times are better.
  double without_load(const CallTimes& others) const;
};

struct LaunchEntry {
  KernelOwner kernel;  // kept, so that its handle is not used for another one
  DeviceOwner device;
  LaunchGeometry geometry;
  std::shared_ptr<const Declaration> declaration;  // null: the hints of the launches count
  uint64_t calls = 0;                              // without captured ones
  uint64_t captured = 0;
  uint64_t failed = 0;
  uint64_t seen = 0;   // calls that the session has looked at
  uint64_t begun = 0;  // timings
  CallTimes times;
  FirstTime first;
  LaunchAmounts amounts;         // of all calls
  uint64_t with_bytes = 0;       // calls with known bytes
  uint64_t with_operations = 0;  // calls with known operations
  ArgumentLists arguments;       // of calls that may need a model

  void add(const LaunchAmounts& call);
};

// The caller guards it by a lock.
class LaunchTable {
 public:
  using Declarations = std::unordered_map<std::string, std::shared_ptr<const Declaration>>;

  // Returns the index of the entry of a launch.
  size_t find(const cucore_operation& launch, const Declarations& declarations);

  LaunchEntry& operator[](size_t index) { return entries_[index]; }
  const std::deque<LaunchEntry>& entries() const { return entries_; }
  // Adds the first times to the others of their entries.
  void add_first_times();

 private:
  struct Key {
    const cucore_kernel* kernel;
    const cucore_device* device;
    LaunchGeometry geometry;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  std::deque<LaunchEntry> entries_;
  std::unordered_map<Key, size_t, Hash> indices_;
};

// A kernel and geometry as the CPU device and CUPTI record them.
struct NamedLaunch {
  std::string name;
  LaunchGeometry geometry;
  friend bool operator==(const NamedLaunch&, const NamedLaunch&) = default;
  struct Hash {
    size_t operator()(const NamedLaunch& launch) const;
  };
};

// Returns the geometry with 1 in place of 0.
LaunchGeometry geometry_of(const cucore_launch_options& options);

}  // namespace cucore::perf
