// Reads CUCORE_CPU_*.
#include "cpu/driver/settings.hpp"

#include <charconv>
#include <cstdlib>

namespace cucpu {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::optional<uint64_t> number(std::string_view text, uint64_t limit) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc{} && end == text.data() + text.size() && value <= limit;
  return good ? std::optional(value) : std::nullopt;
}

Simd simd_from(std::string_view text) {
  if (text == "baseline") return Simd::Baseline;
  if (text == "avx2") return Simd::Avx2;
  if (text == "avx512") return Simd::Avx512;
  return Simd::Automatic;
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
  if (auto n = number(variable("CUCORE_CPU_DEVICES"), 64)) s.devices = static_cast<int>(*n);
  if (auto p = variable("CUCORE_CPU_PROFILE"); !p.empty()) s.profile = p;
  if (auto n = parse_size(variable("CUCORE_CPU_MEMORY")); n && *n) s.memory = *n;
  s.synchronous = variable("CUCORE_CPU_MODE") == "sync";
  s.fault_plan = variable("CUCORE_CPU_FAULT");
  s.trace_file = variable("CUCORE_CPU_TRACE");
  if (auto n = number(variable("CUCORE_CPU_THREADS"), 1024)) {
    s.executor.threads = static_cast<unsigned>(*n);
  }
  s.executor.simd = simd_from(variable("CUCORE_CPU_SIMD"));
  if (auto n = number(variable("CUCORE_CPU_TIMEOUT"), UINT64_MAX)) {
    s.executor.instruction_budget = *n;
  }
  return s;
}

}  // namespace cucpu
