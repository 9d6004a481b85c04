// SPDX-License-Identifier: Apache-2.0
// The bytes and operations of one launch of a kernel, without a device. The PTX runs for a sample
// of the blocks without memory, and its counts are scaled to the grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/machine/datasheets.hpp"
#include "perf/machine/roof.hpp"

struct cucore_cpu_trace_launch;

namespace cucore::perf {

// The numbers of the enumerators are those of cucore_perf.h.
enum class ModelMode : int32_t { SAMPLE = 1, FULL = 2 };
enum class ModelQuality : int32_t { EXACT = 1, SCALED = 2, LOWER_BOUND = 3 };
enum class ByteSource : int32_t { UNKNOWN = 1, COMPULSORY = 2, CACHE = 3 };

struct ModelledLaunch {
  std::string_view ptx;
  std::string kernel;
  std::array<uint32_t, 3> grid{}, block{}, cluster{};
  uint32_t dynamic_shared = 0;
  std::vector<std::vector<std::byte>> parameters;
  double l2_bytes = 0;  // 0: unknown
  ModelMode mode = ModelMode::SAMPLE;
  uint64_t most_instructions = uint64_t{1} << 27;  // of warps, in one run
  const char* dependence =
      nullptr;  // why the launch may do more than the model; nullptr: it does not
  // Receives the run of the sample with the counts of each instruction, and the size of a row.
  std::function<void(const cucore_cpu_trace_launch&, size_t)> observe = {};
};

// Bytes of global memory. An atomic operation reads and writes.
struct Moved {
  double read = 0, written = 0;
  double total() const { return read + written; }
};

struct LaunchModel {
  ModelQuality quality = ModelQuality::EXACT;
  ByteSource source = ByteSource::UNKNOWN;
  const char* reason = "";  // of LOWER_BOUND
  uint64_t blocks = 0, blocks_run = 0;
  Moved requested;   // that threads ask for
  Moved sectors;     // of the sectors that each request touches, added
  Moved compulsory;  // of different sectors
  Moved moved;       // between the device's memory and its L2 cache; if the source is not UNKNOWN
  std::array<double, UNITS> operations{};
  double requests = 0;             // of loads and stores of global memory
  double sectors_of_requests = 0;  // number, without those of atomic operations
  double warp_instructions = 0, thread_instructions = 0;
  double divergent_branches = 0, barriers = 0;
  double shared_wavefronts = 0, shared_bank_conflicts = 0;
  double local_bytes = 0;  // of the sectors of requests

  double floating_point() const;  // operations of all types but INTEGER
  // Operations per byte that memory moves. Those of integers count only without any others.
  std::optional<double> intensity() const;
};

// The unit that a launch needs for the longest time, if each works at the rate of the datasheet.
enum class ModelBound : int32_t { MEMORY = 1, F16 = 2, F32 = 3, F64 = 4, INTEGER = 5, MATRIX = 6 };
struct Prediction {
  ModelBound bound = ModelBound::MEMORY;
  double seconds = 0;
};
// Returns the least time of a launch whose data is in memory.
Prediction predict(const LaunchModel& model, const Datasheet& sheet);
// The same at measured rates. Those of memory are of copies, of reads if nothing is written, and of
// writes if nothing is read. The time is NaN if that rate is unknown; other unknown rates count as
// unlimited.
Prediction predict(const LaunchModel& model, const Roof& roof);

// @throws Error UNSUPPORTED if an instruction needs memory, KERNEL_FAULT if the kernel fails,
// LIBRARY_MISSING, CUDA, INVALID_CODE, INVALID_ARGUMENT
LaunchModel model_launch(const ModelledLaunch& launch);

}  // namespace cucore::perf
