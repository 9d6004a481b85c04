// SPDX-License-Identifier: Apache-2.0
// Parses and stores the checks and the schedule.
#include "cpu/checks/check_set.hpp"

#include <atomic>
#include <charconv>
#include <chrono>

namespace cucore::cpu {
namespace {

struct Named {
  std::string_view name;
  uint32_t bits;
};
constexpr Named NAMES[] = {{"memory", CHECK_MEMORY},   {"init", CHECK_INIT}, {"race", CHECK_RACE},
                           {"barrier", CHECK_BARRIER}, {"host", CHECK_HOST}, {"leak", CHECK_LEAK},
                           {"all", CHECK_ALL}};

std::atomic<uint32_t> g_checks{0};
std::atomic<bool> g_stop{false};
std::atomic<WarpOrder> g_order{WarpOrder::PARALLEL};
std::atomic<uint64_t> g_seed{0};
std::atomic<uint64_t> g_random_launches{0};  // since set_schedule()

std::optional<uint32_t> bits_named(std::string_view name) {
  for (const Named& row : NAMES)
    if (row.name == name) return row.bits;
  return std::nullopt;
}

}  // namespace

namespace {

// Five digits are short to type, and enough for different orders. They need not be secret.
uint64_t choose_seed() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return (uint64_t(now) / 1000 * 6364136223846793005ull >> 33) % 100000;
}

}  // namespace

std::optional<uint32_t> parse_checks(std::string_view list) {
  uint32_t set = 0;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const auto bits = bits_named(list.substr(0, comma));
    if (!bits || comma + 1 == list.size()) return std::nullopt;
    set |= *bits;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return set;
}

std::string checks_text(uint32_t set) {
  std::string text;
  for (const Named& row : NAMES) {
    if (row.bits == CHECK_ALL || !(set & row.bits)) continue;
    if (!text.empty()) text += ',';
    text += row.name;
  }
  return text;
}

uint32_t enabled_checks() { return g_checks.load(std::memory_order_relaxed); }
void enable_checks(uint32_t set) { g_checks.store(set, std::memory_order_relaxed); }
bool stops_at_reports() { return g_stop.load(std::memory_order_relaxed); }
void stop_at_reports(bool stop) { g_stop.store(stop, std::memory_order_relaxed); }

std::optional<Schedule> parse_schedule(std::string_view text) {
  constexpr std::string_view RANDOM = "random:";
  if (text == "random") return Schedule{WarpOrder::RANDOM, choose_seed(), true};
  if (text == "parallel") return Schedule{};
  if (text == "sequential") return Schedule{WarpOrder::SEQUENTIAL};
  if (!text.starts_with(RANDOM)) return std::nullopt;
  text.remove_prefix(RANDOM.size());
  Schedule parsed{WarpOrder::RANDOM};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed.seed);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return parsed;
}

Schedule schedule() {
  return {g_order.load(std::memory_order_relaxed), g_seed.load(std::memory_order_relaxed)};
}
void set_schedule(Schedule schedule) {
  g_order.store(schedule.order, std::memory_order_relaxed);
  g_seed.store(schedule.seed, std::memory_order_relaxed);
  g_random_launches.store(0, std::memory_order_relaxed);
}

uint64_t next_launch_seed() {
  constexpr uint64_t DISTANCE = 1000003;  // between the seeds of two schedules
  const uint64_t launch = g_random_launches.fetch_add(1, std::memory_order_relaxed) + 1;
  return g_seed.load(std::memory_order_relaxed) * DISTANCE + launch;
}

std::string random_text(Schedule schedule) {
  if (schedule.order != WarpOrder::RANDOM) return {};
  return "random:" + std::to_string(schedule.seed);
}

std::string schedule_suffix() {
  const std::string text = random_text(schedule());
  return text.empty() ? text : "; schedule " + text;
}

}  // namespace cucore::cpu
