// SPDX-License-Identifier: Apache-2.0
// Reads CUCORE_CPU_*.
#include "cpu/driver/settings.hpp"

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>

#include "cpu/driver/fault_plan.hpp"
#include "cpu/driver/trace.hpp"
#include "support/environment.hpp"
#include "support/suppressions.hpp"

namespace cucore::cpu {
namespace {

std::optional<uint64_t> number(std::string_view text, uint64_t limit) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc{} && end == text.data() + text.size() && value <= limit;
  return good ? std::optional(value) : std::nullopt;
}

std::optional<Simd> simd_from(std::string_view text) {
  if (text == "baseline") return Simd::BASELINE;
  if (text == "avx2") return Simd::AVX2;
  if (text == "avx512") return Simd::AVX512;
  return std::nullopt;
}

using SharedSuppressions = std::shared_ptr<const Suppressions>;

// `reason` receives the fault of a line.
std::optional<SharedSuppressions> suppressions_of(std::string_view path, std::string& reason) {
  std::ifstream file{std::string(path)};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto rules = std::make_shared<Suppressions>();
  if (!file.is_open() || file.bad()) return std::nullopt;
  if (const auto wrong = rules->add(text)) {
    reason = ": line " + std::to_string(wrong->number) + " " + wrong->reason;
    return std::nullopt;
  }
  return rules;
}

// Returns the value of the variable if it is set and `read` accepts it.
template <class Read>
auto setting(DriverSettings& s, const char* name, const char* wanted, Read read)
    -> decltype(read(std::string_view())) {
  const std::string text = cucore::environment(name);
  if (text.empty()) return std::nullopt;
  auto value = read(text);
  if (!value) {
    if (!s.wrong.empty()) s.wrong += "; ";
    s.wrong += std::string(name) + " is '" + text + "', not " + wanted;
  }
  return value;
}

}  // namespace

std::optional<uint64_t> parse_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  unsigned shift = 0;
  switch (text.back()) {
    case 'k':
    case 'K':
      shift = 10;
      break;
    case 'm':
    case 'M':
      shift = 20;
      break;
    case 'g':
    case 'G':
      shift = 30;
      break;
    default:
      break;
  }
  if (shift) text.remove_suffix(1);
  auto value = number(text, UINT64_MAX >> shift);
  return value ? std::optional(*value << shift) : std::nullopt;
}

DriverSettings settings_from_environment() {
  DriverSettings s;
  auto up_to = [](uint64_t limit) {
    return [limit](std::string_view text) { return number(text, limit); };
  };
  auto size = [](std::string_view text) {
    const auto bytes = parse_size(text);
    return bytes && *bytes ? bytes : std::nullopt;
  };
  auto mode = [](std::string_view text) {
    return text == "sync" || text == "async" ? std::optional(text == "sync") : std::nullopt;
  };
  auto file = [](std::string_view text) {
    std::string path(text);
    const int opened = Trace::open_file(path);
    if (opened < 0) return std::optional<std::string>();
    close(opened);
    return std::optional(std::move(path));
  };
  auto plan = [](std::string_view text) {
    return FaultPlan::is_plan(text) ? std::optional(std::string(text)) : std::nullopt;
  };
  if (auto n = setting(s, "CUCORE_CPU_DEVICES", "a number from 0 to 64", up_to(64)))
    s.devices = static_cast<int>(*n);
  if (auto p = cucore::environment("CUCORE_CPU_PROFILE"); !p.empty()) s.profile = p;
  if (auto n = setting(s, "CUCORE_CPU_MEMORY", "a size such as 512M or 4G", size)) s.memory = *n;
  s.synchronous = setting(s, "CUCORE_CPU_MODE", "sync or async", mode).value_or(false);
  if (auto p = setting(s, "CUCORE_CPU_FAULT", "a list of faults (docs/cpu_device.md)", plan))
    s.fault_plan = *p;
  if (auto f = setting(s, "CUCORE_CPU_TRACE", "a new file or a trace of this user", file))
    s.trace_file = *f;
  if (auto n = setting(s, "CUCORE_CPU_THREADS", "a number from 0 to 1024", up_to(1024)))
    s.executor.threads = static_cast<unsigned>(*n);
  if (auto level = setting(s, "CUCORE_CPU_SIMD", "baseline, avx2 or avx512", simd_from))
    s.executor.simd = *level;
  s.executor.compile = setting(s, "CUCORE_CPU_COMPILE", "0 or 1", up_to(1)).value_or(1) != 0;
  s.executor.show_ptx = setting(s, "CUCORE_CPU_SHOW_PTX", "0 or 1", up_to(1)).value_or(0) != 0;
  if (auto c = setting(s, "CUCORE_CPU_CHECK", CHECK_NAMES, parse_checks)) s.checks = *c;
  s.stop_at_reports = setting(s, "CUCORE_CPU_CHECK_STOP", "0 or 1", up_to(1)).value_or(0) != 0;
  auto json = [](std::string_view text) {
    return CheckOutput::is_usable(text) ? std::optional(std::string(text)) : std::nullopt;
  };
  if (auto f = setting(s, "CUCORE_CPU_CHECK_JSON", "a new file or reports of this user", json))
    s.check_output.json_file = *f;
  if (auto n = setting(s, "CUCORE_CPU_CHECK_EXIT", "an exit code from 0 to 255", up_to(255)))
    s.check_output.exit_code = static_cast<int>(*n);
  std::string reason;
  auto suppressions = [&](std::string_view path) { return suppressions_of(path, reason); };
  if (auto rules = setting(s, "CUCORE_CPU_CHECK_SUPPRESS",
                           "a file with lines KIND KERNEL FILE:LINE", suppressions))
    s.suppressions = *rules;
  s.wrong += reason;
  if (auto o = setting(s, "CUCORE_CPU_SCHEDULE", SCHEDULE_NAMES, parse_schedule)) s.schedule = *o;
  if (auto n = setting(s, "CUCORE_CPU_TIMEOUT", "a number of warp instructions", up_to(UINT64_MAX)))
    s.executor.instruction_budget = *n;
  if (auto n = setting(s, "CUCORE_CPU_LAUNCH_MEMORY", "a size such as 256M or 2G", size))
    s.executor.launch_memory = *n;
  if (auto n = setting(s, "CUCORE_CPU_LAUNCH_OUTPUT", "a size such as 64K or 1M", size))
    s.executor.launch_output = *n;
  return s;
}

}  // namespace cucore::cpu
