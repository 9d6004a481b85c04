// SPDX-License-Identifier: Apache-2.0
// The content of a report: what a profiled part of a program did, as plain data. The profiler fills
// it in; findings and formats read it. The names in the schema cucore.report/1 are those here.
//
// Amounts are doubles. NaN: unknown.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "perf/analyze/kernel.hpp"
#include "perf/measure/measurement.hpp"

namespace cucore::perf {

constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();
constexpr size_t NO_INDEX = SIZE_MAX;

// As cucore_profiler_source, in which AUTO is 0. A report never contains AUTO.
enum class ProfileSource : int32_t {
  AUTO = 0,
  EVENTS = 1,
  ACTIVITY = 2,
  COUNTERS = 3,
  EMULATED = 4
};

struct ReportMachine : MeasuredMachine {
  bool is_emulated = false;
  uint32_t multiprocessors = 0;
  uint64_t memory_size = 0;    // bytes
  uint64_t l2_cache_size = 0;  // bytes
};

// The peaks of the device: bytes per second, operations per second, seconds.
struct ReportRoof {
  double copy = UNKNOWN;   // bytes read and written together
  double read = UNKNOWN;   // bytes
  double write = UNKNOWN;  // bytes
  double l2 = UNKNOWN;     // bytes
  double f16 = UNKNOWN, f32 = UNKNOWN, f64 = UNKNOWN, integer = UNKNOWN, matrix = UNKNOWN;
  double launch = UNKNOWN;        // seconds of an empty kernel
  double event_offset = UNKNOWN;  // seconds between two events without work between them
};

// Fractions of the time of the profiled part.
struct ReportOverhead {
  double budget = UNKNOWN;
  double measured = UNKNOWN;
};

// A part of the report that could not be had.
struct MissingPart {
  std::string what;    // "activity"
  std::string why;     // a sentence
  std::string remedy;  // a sentence
};

// A named part of the profiled time. Row 0 is the whole session and has the name "".
struct ReportRange {
  std::string name;
  size_t parent = NO_INDEX;             // index of a range; NO_INDEX for the session
  uint64_t calls = 0;                   // how often it was begun
  double seconds = 0;                   // host time from begin to end, of all calls
  double kernel_seconds = UNKNOWN;      // of the kernels that were launched in it
  double memory_efficiency = UNKNOWN;   // 0 to 1, mean of its kernels weighted by their time
  double compute_efficiency = UNKNOWN;  // 0 to 1
  std::map<std::string, double> counters = {};  // of one call, if it was counted as a whole
};

struct LaunchGeometry {
  uint32_t grid[3] = {0, 0, 0};
  uint32_t block[3] = {0, 0, 0};
  uint32_t cluster[3] = {0, 0, 0};  // zeros: no cluster
  uint32_t dynamic_shared = 0;      // bytes per block
  friend bool operator==(const LaunchGeometry&, const LaunchGeometry&) = default;
};

// Of all calls of a row together, scaled where only some were timed. Each is of the kernels alone.
struct ReportSeconds {
  double total = UNKNOWN;
  double low = UNKNOWN, high = UNKNOWN;                 // 95 % interval of total
  double mean = UNKNOWN, min = UNKNOWN, max = UNKNOWN;  // of the timed calls
};

// How a row got its bytes or its operations, the best first.
enum class AmountSource : int32_t { NONE = 0, COUNTER = 1, DECLARED = 2, MODEL = 3 };

// Of all calls of a row together.
struct ReportBytes {
  double read = UNKNOWN;  // moved by device memory, or the best that the source has
  double written = UNKNOWN;
  double requested = UNKNOWN;   // by the threads
  double sector = UNKNOWN;      // of the 32-byte sectors of all requests
  double compulsory = UNKNOWN;  // of the different sectors
  AmountSource source = AmountSource::NONE;
  bool is_lower_bound = false;    // the model could not follow all addresses
  bool is_reuse_unknown = false;  // between compulsory and sector
};

// Of all calls of a row together.
struct ReportOperations {
  double total = UNKNOWN;  // the sum, or what was declared without a type
  double f16 = UNKNOWN, f32 = UNKNOWN, f64 = UNKNOWN, integer = UNKNOWN, matrix = UNKNOWN;
  AmountSource source = AmountSource::NONE;
};

// Percent of the roof, 0 to 100.
struct ReportPercent {
  double memory = UNKNOWN;
  double compute = UNKNOWN;
};

// The limit that a kernel reaches first.
enum class Bound : int32_t {
  UNKNOWN = 0,
  MEMORY = 1,
  COMPUTE = 2,
  LAUNCH = 3,
  GRID = 4,
  LATENCY = 5
};

// One kernel with one geometry.
struct KernelRow {
  std::string name;    // as in the code
  std::string digest;  // of the image that contains it, hexadecimal; rows with equal names differ
  LaunchGeometry geometry;
  Resources resources;
  double occupancy = UNKNOWN;     // warps that run at a time, divided by the most, 0 to 1
  std::string occupancy_limiter;  // "registers"; "": unknown
  uint64_t calls = 0;
  uint64_t captured = 0;  // of the calls: recorded into graphs, with no time of their own
  uint64_t timed = 0;     // calls with a time
  uint64_t failed = 0;    // launches that returned an error; not in calls
  ReportSeconds seconds;
  ReportBytes bytes;
  ReportOperations operations;
  ReportPercent percent;
  double sectors_per_request = UNKNOWN;  // of loads and stores of global memory
  double intensity = UNKNOWN;            // operations per byte
  Bound bound = Bound::UNKNOWN;
  std::string note;                          // why a figure differs or is missing; "": none
  std::map<std::string, double> counters;    // "cpu.instructions"; of all calls together
  std::map<uint16_t, Place> places;          // of findings of the analysis, by their number: 105
  std::map<uint16_t, Place> counted_places;  // by counts of instructions, for findings: 203
};

// Copies, fills, allocations and the like, a row per kind.
struct OperationRow {
  std::string kind;  // "copy", "fill", "write", "read", "graph_launch", "allocate", "free", ...
  uint64_t calls = 0;
  uint64_t captured = 0;
  uint64_t failed = 0;
  uint64_t bytes = 0;  // exactly; of all calls
  uint64_t timed = 0;
  double seconds = UNKNOWN;       // on the device, of all calls, scaled
  double host_seconds = UNKNOWN;  // between begin and end of the calls, on the host
};

// One entry of the timeline.
enum class RecordKind : int32_t { KERNEL, OPERATION, RANGE };
struct TimelineRecord {
  RecordKind kind = RecordKind::KERNEL;
  std::string name;
  double start = 0;       // seconds since the begin of the session
  double duration = 0;    // seconds
  uint32_t device = 0;    // ordinal
  uint64_t stream = 0;    // number of the stream; of ranges: number of the thread
  size_t row = NO_INDEX;  // of kernels, operations or ranges
  double bytes = UNKNOWN;
};

// The advice of a finding is what to do.
struct ReportFinding {
  std::string id;    // "P201"
  std::string name;  // "launch bound"
  Severity severity = Severity::NOTE;
  size_t kernel = NO_INDEX;  // row
  Place place;
  std::string message;
  std::string advice;
};

struct ReportData {
  std::string name;  // of the session; "": none
  ReportMachine machine;
  ReportRoof roof;
  ProfileSource source = ProfileSource::EVENTS;
  double seconds = 0;  // from begin to end, on the host
  ReportOverhead overhead;
  std::vector<MissingPart> missing;
  std::vector<ReportRange> ranges;
  std::vector<KernelRow> kernels;        // the longest total first
  std::vector<OperationRow> operations;  // in the order of cucore_operation_kind
  std::vector<TimelineRecord> records;   // in the order of their start
  uint64_t dropped_records = 0;          // beyond the limit of the options
  uint64_t dropped_ranges = 0;           // begins of ranges beyond the limit, which have no row
  std::vector<ReportFinding> findings;
};

}  // namespace cucore::perf
