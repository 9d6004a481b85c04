// SPDX-License-Identifier: Apache-2.0
// The checks of kernels and the order of warps: process-wide settings that each launch reads once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cucore::cpu {

enum CheckBit : uint32_t {
  CHECK_MEMORY = 1u << 0,   // bounds, lifetime and alignment
  CHECK_INIT = 1u << 1,     // reads before the first write
  CHECK_RACE = 1u << 2,     // accesses of threads of one launch without an order
  CHECK_BARRIER = 1u << 3,  // barriers that a part of a warp executes
  CHECK_HOST = 1u << 4,     // work of streams without an order
  CHECK_ALL = (1u << 5) - 1,
  CHECK_LEAK = 1u << 5,  // objects that outlive their context or session; not part of "all"
};

// The words of a list of checks, for messages.
inline constexpr const char* CHECK_NAMES =
    "all or a list of memory, init, race, barrier, host and leak";
// Parses "all", "" or a list such as "memory,race"; nullopt for anything else.
std::optional<uint32_t> parse_checks(std::string_view list);
std::string checks_text(uint32_t set);

uint32_t enabled_checks();
void enable_checks(uint32_t set);
bool stops_at_reports();  // a report then ends its launch
void stop_at_reports(bool stop);

enum class WarpOrder : uint8_t {
  PARALLEL,    // workers share the blocks
  SEQUENTIAL,  // one worker runs the blocks and warps in order
  RANDOM,      // one worker runs warps in an order that the seed determines
};
struct Schedule {
  WarpOrder order = WarpOrder::PARALLEL;
  uint64_t seed = 0;
  bool chosen = false;  // the seed was not given
};
inline constexpr const char* SCHEDULE_NAMES = "parallel, sequential, random or random:SEED";
// Parses "parallel", "sequential", "random:SEED", or "random", which chooses a seed.
std::optional<Schedule> parse_schedule(std::string_view text);
// Returns "random:7" for a random order, else "".
std::string random_text(Schedule schedule);
Schedule schedule();
void set_schedule(Schedule schedule);
// For the order of the next launch under a random schedule. Launches count from set_schedule() on,
// so that the same seed repeats their orders.
uint64_t next_launch_seed();
// Returns "; schedule random:7" under a random order, else "".
std::string schedule_suffix();

}  // namespace cucore::cpu
