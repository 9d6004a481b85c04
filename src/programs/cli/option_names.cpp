// SPDX-License-Identifier: Apache-2.0
#include "option_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace cucore::cli {
namespace {

struct Spelling {
  std::string_view member, option;
};
// Members whose option is not spelled in the same way.
constexpr std::array SPELLINGS{Spelling{"include_paths", "include-path"},
                               Spelling{"defines", "define"},
                               Spelling{"undefines", "undefine"},
                               Spelling{"pre_includes", "pre-include"},
                               Spelling{"extra_options", "flag"},
                               Spelling{"ptxas_options", "ptxas"},
                               Spelling{"max_register_count", "maxrregcount"},
                               Spelling{"optimization_level", "optimize"},
                               Spelling{"dynamic_shared", "shared"},
                               Spelling{"standard", "std"},
                               Spelling{"archs", "arch"},
                               Spelling{"max_time_ms", "max-time"},
                               Spelling{"min_samples", "samples"}};
constexpr std::array STRUCTURES{
    "cucore_program_options.",     "cucore_linker_options.",   "cucore_launch_options.",
    "cucore_cache_options.",       "cucore_checks_options.",   "cucore_analysis_options.",
    "cucore_measurement_options.", "cucore_profiler_options.", "cucore_roof_options."};

bool is_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string option_of(std::string_view member) {
  const auto* const found = std::ranges::find(SPELLINGS, member, &Spelling::member);
  std::string name(found == SPELLINGS.end() ? member : found->option);
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

}  // namespace

std::string with_option_names(std::string message) {
  for (const std::string_view structure : STRUCTURES)
    for (std::size_t at; (at = message.find(structure)) != message.npos;) {
      const auto member = message.begin() + static_cast<std::ptrdiff_t>(at + structure.size());
      const auto end = std::find_if_not(member, message.end(), is_of_name);
      message.replace(message.begin() + static_cast<std::ptrdiff_t>(at), end,
                      option_of({member, end}));
    }
  return message;
}

}  // namespace cucore::cli
