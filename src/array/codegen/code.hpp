// SPDX-License-Identifier: Apache-2.0
// The code of a planned kernel, and how it is launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "array/plan/kernel.hpp"

namespace cucore::array {

struct Form;

// The numbers are those of cucore_array_math.
enum class Math : uint8_t { ACCURATE = 0, CONTRACT = 1, FAST = 2 };

struct Target {
  int32_t architecture = 0;  // 90 of sm_90
  bool emulated = false;     // the CPU device
  Math math = Math::ACCURATE;
};

// The memory of a kernel. The alignment of an address chooses the width of its loads.
struct Addresses {
  std::vector<uint64_t> inputs, outputs;  // by slot
  uint64_t partials = 0;                  // scratch_of(kernel).partial_bytes, or 0
  uint64_t counters = 0;                  // numbers that are 0 before and after the kernel
  uint64_t status = 0;                    // of INDEX_REPORTS reports, which are 0
};

// Reports of indices that are out of range: one for each gather and each store with indices, in the
// order of the kernel. The last one serves all that follow.
constexpr size_t INDEX_REPORTS = 8;
struct IndexReport {  // device/index.cuh writes it
  int64_t is_set, value, size, axis;
};
size_t report_of_node(const Kernel& kernel, size_t node);
size_t report_of_store(const Kernel& kernel, size_t store);

struct Scratch {
  int64_t partial_bytes = 0;
  int64_t counters = 0;  // 32-bit numbers
};
Scratch scratch_of(const Kernel& kernel);

// Everything that the text depends on. Shapes, strides and constants are parameters: they are not
// in the key.
std::string key_of(const Kernel& kernel, const Target& target, const Addresses& addresses);

// The launch that the text is made for.
struct Variant {
  std::string name;  // of the kernel
  int vector = 1, unroll = 1, block = 1;
  bool wide = false;  // indices of 64 bits
};
Variant variant_of(const Kernel& kernel, const Target& target, const Addresses& addresses);

struct Code {
  std::string name;  // of the kernel: its family and a digest of the key
  std::string source;
};
Code code_of(const Kernel& kernel, const Target& target, const Addresses& addresses);
// The options of the compiler, besides the architecture.
std::vector<std::string> compile_options(const Target& target);

struct LaunchPlan {
  int64_t grid = 1;
  uint32_t block = 1;
  std::vector<std::byte> parameters;  // one packed block, the only argument
};
// One after another. Throws UNSUPPORTED if one has more blocks than CUDA permits.
std::vector<LaunchPlan> launches_of(const Kernel& kernel, const Target& target,
                                    const Addresses& addresses);
std::vector<LaunchPlan> launches_of(const Kernel& kernel, const Form& form,
                                    const Addresses& addresses);

}  // namespace cucore::array
