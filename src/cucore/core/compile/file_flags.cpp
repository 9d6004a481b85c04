// SPDX-License-Identifier: Apache-2.0
#include "core/compile/file_flags.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace cucore::core {
namespace {

enum class Effect { ARCH, INCLUDE_PATH, PRE_INCLUDE, NO_SIBLINGS, DEBUG, SIDE_EFFECT, OPTIONS };

struct Spelling {
  std::string_view flag;
  Effect effect;
  bool has_value;
  bool may_be_glued = false;  // "-Ifolder"
};

constexpr Spelling SPELLINGS[] = {
    {"--gpu-architecture", Effect::ARCH, true},
    {"-arch", Effect::ARCH, true},
    {"--include-path", Effect::INCLUDE_PATH, true},
    {"-I", Effect::INCLUDE_PATH, true, true},
    {"--pre-include", Effect::PRE_INCLUDE, true},
    {"-include", Effect::PRE_INCLUDE, true},
    {"--no-source-include", Effect::NO_SIBLINGS, false},
    {"-no-source-include", Effect::NO_SIBLINGS, false},
    {"--device-debug", Effect::DEBUG, false},
    {"-G", Effect::DEBUG, false},
    {"--generate-line-info", Effect::DEBUG, false},
    {"-lineinfo", Effect::DEBUG, false},
    {"--time", Effect::SIDE_EFFECT, true},
    {"-time", Effect::SIDE_EFFECT, true},
    {"--fdevice-time-trace", Effect::SIDE_EFFECT, true},
    {"-fdevice-time-trace", Effect::SIDE_EFFECT, true},
    {"--pch", Effect::SIDE_EFFECT, false},
    {"-pch", Effect::SIDE_EFFECT, false},
    {"--create-pch", Effect::SIDE_EFFECT, true},
    {"-create-pch", Effect::SIDE_EFFECT, true},
    {"--use-pch", Effect::SIDE_EFFECT, true},
    {"-use-pch", Effect::SIDE_EFFECT, true},
    {"--options-file", Effect::OPTIONS, true},
    {"-optf", Effect::OPTIONS, true},
};

// Returns whether the value is the next argument.
bool takes_next(const std::vector<std::string>& flags, size_t at, const Spelling& spelling) {
  return spelling.has_value && flags[at] == spelling.flag && at + 1 < flags.size();
}

// Returns the value of a flag in this spelling; nullopt for another flag.
std::optional<std::string_view> match(std::string_view argument, const Spelling& spelling) {
  if (!argument.starts_with(spelling.flag)) return std::nullopt;
  const std::string_view rest = argument.substr(spelling.flag.size());
  if (rest.empty()) return rest;
  if (spelling.has_value && rest.front() == '=') return rest.substr(1);
  if (spelling.may_be_glued) return rest;
  return std::nullopt;
}

// A flag may occur several times. NVRTC does not split "a,b", so this code does not.
void note(FileFlags& out, const Spelling& spelling, std::string_view value) {
  const bool is_path =
      spelling.effect == Effect::INCLUDE_PATH || spelling.effect == Effect::PRE_INCLUDE;
  if (is_path && !value.starts_with('/')) out.names_current_directory = true;
  switch (spelling.effect) {
    case Effect::INCLUDE_PATH:
      out.include_paths.emplace_back(value);
      break;
    case Effect::PRE_INCLUDE:
      out.pre_includes.emplace_back(value);
      break;
    case Effect::NO_SIBLINGS:
      out.search_siblings = false;
      break;
    case Effect::DEBUG:
      out.names_current_directory = true;
      break;
    case Effect::ARCH:
      break;
    case Effect::SIDE_EFFECT:
    case Effect::OPTIONS:
      out.side_effect = spelling.flag;
      break;
  }
}

bool mentions_time(std::string_view flag) {
  for (const std::string_view word : {"__TIME__", "__DATE__", "__TIMESTAMP__"})
    if (flag.find(word) != std::string_view::npos) return true;
  return false;
}

}  // namespace

FileFlags read_file_flags(const std::vector<std::string>& flags) {
  FileFlags out;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (mentions_time(flags[i])) out.side_effect = "the time of the compile in a flag";
    for (const Spelling& spelling : SPELLINGS) {
      const auto value = match(flags[i], spelling);
      if (!value) continue;
      note(out, spelling, takes_next(flags, i, spelling) ? std::string_view(flags[++i]) : *value);
      break;
    }
  }
  return out;
}

std::optional<std::vector<std::string>> flags_of_source(const std::vector<std::string>& flags) {
  std::vector<std::string> out;
  for (size_t i = 0; i < flags.size(); ++i) {
    const auto found = std::ranges::find_if(
        SPELLINGS, [&](const Spelling& spelling) { return match(flags[i], spelling).has_value(); });
    const bool is_known = found != std::end(SPELLINGS);
    if (is_known && found->effect == Effect::OPTIONS) return std::nullopt;
    const bool is_kept =
        !is_known || (found->effect != Effect::ARCH && found->effect != Effect::SIDE_EFFECT);
    const size_t last = is_known && takes_next(flags, i, *found) ? i + 1 : i;
    for (size_t at = i; is_kept && at <= last; ++at) out.push_back(flags[at]);
    i = last;
  }
  return out;
}

}  // namespace cucore::core
