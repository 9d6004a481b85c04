// SPDX-License-Identifier: Apache-2.0
// The results of an analysis: kernels with their resources, instructions, loops and findings.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/arch.hpp"
#include "perf/analyze/mix.hpp"
#include "perf/machine/occupancy.hpp"

namespace cucore::perf {

// The numbers are those of cucore_perf.h.
enum class Level : int32_t { MACHINE = 1, PTX = 2 };
const char* level_name(Level level);

// A place in a source. Unknown parts are empty or 0.
struct Place {
  std::string file;
  uint32_t line = 0;
  uint32_t ptx_line = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// Returns the name of a source as the caller of libcucore gave it, without parts of the path that
// are a dot.
std::string source_name(std::string_view recorded);

// nullopt: the code does not record it.
struct Resources {
  std::optional<uint32_t> registers;     // per thread
  std::optional<uint32_t> shared;        // bytes per block, static
  std::optional<uint32_t> local;         // bytes per thread of arrays and variables
  std::optional<uint32_t> stack;         // bytes per thread
  std::optional<uint32_t> spill_loads;   // bytes per thread
  std::optional<uint32_t> spill_stores;  // bytes per thread
  std::optional<uint32_t> constant;      // bytes of the constant bank, the parameters included
  std::optional<uint32_t> parameters;    // bytes
  std::optional<uint32_t> code_size;     // bytes of instructions
};

struct Loop {
  uint32_t first = 0;  // instruction
  uint32_t last = 0;
  Place place;
  std::optional<uint64_t> trips = std::nullopt;  // how often it runs, if that is constant
};

// The PTX of a kernel, which adds to its machine code.
struct PtxFacts {
  std::shared_ptr<const std::string> text;
  Mix mix;
  std::vector<Loop> loops;
  std::vector<uint32_t> parameters;   // bytes of each
  std::map<uint32_t, Place> sources;  // of the lines of PTX without `.loc`, from machine code
  const char* dependence =
      nullptr;  // why a launch may do more than its model; nullptr: it does not
  Place dependence_place;
};

enum class Severity : int32_t { NOTE = 1, WARNING = 2, ERROR = 3 };
const char* severity_name(Severity severity);

// The numbers of the findings are permanent: A101 is 101.
struct Rule {
  uint16_t number;
  const char* id;      // "A101"
  const char* name;    // "spill"
  const char* advice;  // how to mend it
};

struct Finding {
  const Rule* rule = nullptr;
  Severity severity = Severity::NOTE;
  size_t index = 0;  // of the kernel
  std::string kernel;
  std::string arch;
  Place place;
  std::string message;  // with its figures
  uint32_t count = 1;   // how often at this place
};

struct OccupancyRow {
  image::Arch arch;
  uint32_t block = 0;
  Occupancy occupancy;
};

// An instruction of machine code as text.
struct CodeLine {
  uint64_t address = 0;
  Place place;
  std::string text;
};

// One kernel of one image.
struct Kernel {
  std::string name;
  Level level = Level::MACHINE;
  image::Arch arch;
  std::string arch_name;
  Place place;
  Resources resources;
  uint32_t max_threads = 1024;  // per block
  std::vector<uint32_t> block;  // required extents, or none
  Mix mix;
  std::vector<Loop> loops;
  std::optional<PtxFacts> ptx;  // of PTX, and of machine code that contains it
  std::vector<OccupancyRow> occupancy;
  std::vector<CodeLine> disassembly;  // in the order of the addresses, if it is requested
  std::string missing;                // why a part of the analysis is missing; "" if it is not
};

}  // namespace cucore::perf
