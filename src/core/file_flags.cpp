#include "core/file_flags.hpp"

#include <optional>
#include <string_view>

namespace cucore::core {
namespace {

enum class Effect { INCLUDE_PATH, PRE_INCLUDE, NO_SIBLINGS, DEBUG, SIDE_EFFECT };

struct Spelling {
  std::string_view flag;
  Effect effect;
  bool has_value;
  bool may_be_glued = false;  // "-Ifolder"
};

constexpr Spelling SPELLINGS[] = {
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
    {"--options-file", Effect::SIDE_EFFECT, true},
    {"-optf", Effect::SIDE_EFFECT, true},
};

// The value of a flag in this spelling; nullopt where it is another flag.
std::optional<std::string_view> match(std::string_view argument, const Spelling& spelling) {
  if (!argument.starts_with(spelling.flag)) return std::nullopt;
  const std::string_view rest = argument.substr(spelling.flag.size());
  if (rest.empty()) return rest;
  if (spelling.has_value && rest.front() == '=') return rest.substr(1);
  if (spelling.may_be_glued) return rest;
  return std::nullopt;
}

// Several may stand in one: "a,b" is not split by NVRTC, so it is not here.
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
    case Effect::SIDE_EFFECT:
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
      const bool is_next = spelling.has_value && flags[i] == spelling.flag && i + 1 < flags.size();
      note(out, spelling, is_next ? std::string_view(flags[++i]) : *value);
      break;
    }
  }
  return out;
}

}  // namespace cucore::core
