// SPDX-License-Identifier: Apache-2.0
#include "core/compile/linker_choice.hpp"

#include <charconv>

#include "driver/cuda.hpp"
#include "driver/nvjitlink.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::core {
namespace {

using container::Code;
using image::CodeType;

constexpr int OLDEST_NVJITLINK = 12030;  // the first that reports its version

std::string toolkit_text(int toolkit) { return concat("CUDA ", toolkit / 10, ".", toolkit % 10); }

// Parses "13.0" from the metadata of the library's own compiles.
int toolkit_in_metadata(const Code& code) {
  const auto found = code.metadata.find("version");
  const auto* version =
      found == code.metadata.end() ? nullptr : std::get_if<std::string>(&found->second);
  int major = 0, minor = 0;
  if (!version) return 0;
  const char* end = version->data() + version->size();
  const auto [dot, error] = std::from_chars(version->data(), end, major);
  if (error != std::errc() || dot == end || *dot != '.') return 0;
  if (std::from_chars(dot + 1, end, minor).ec != std::errc()) return 0;
  return major * 10 + minor;
}

std::string made_by(const Code& code) {
  const std::string name = code.name.empty() ? "an input" : "\"" + code.name + "\"";
  return concat(name, " was made with ", toolkit_text(toolkit_of(code)));
}

// Returns the input that requires the newest linker; null if none records it.
const Code* newest(std::span<const Code* const> inputs) {
  const Code* newest = nullptr;
  for (const Code* input : inputs)
    if (toolkit_of(*input) > (newest ? toolkit_of(*newest) : 0)) newest = input;
  return newest;
}

// LTO-IR is compatible only within one major version.
const Code* foreign_ltoir(std::span<const Code* const> inputs, int major) {
  for (const Code* input : inputs)
    if (input->type == CodeType::LTOIR && toolkit_of(*input) && toolkit_of(*input) / 10 != major)
      return input;
  return nullptr;
}

LinkerChoice by_driver(std::string reason, bool lto) {
  if (!lto) return {CUCORE_BACKEND_DRIVER, "the driver's linker: " + reason, {}};
  return {CUCORE_BACKEND_NVJITLINK, "nvJitLink, for link-time optimisation",
          "link-time optimisation needs nvJitLink: " + reason};
}

}  // namespace

int toolkit_of(const Code& code) { return code.toolkit ? code.toolkit : toolkit_in_metadata(code); }

uint16_t nvjitlink_toolkit() {
  std::string why;
  const auto* table = driver::nvjitlink_if_available(why);
  return table ? static_cast<uint16_t>(table->version / 100) : uint16_t{0};
}

LinkerChoice choose_linker(std::span<const Code* const> inputs, bool lto) {
  std::string why;
  const auto* table = driver::nvjitlink_if_available(why);
  if (!table) return by_driver(why, lto);
  const std::string here =
      concat("nvJitLink ", driver::version_text(table->version), ", ", table->path);
  if (table->version < OLDEST_NVJITLINK)
    return by_driver(concat(here, " is too old: it must be of CUDA ",
                            driver::version_text(OLDEST_NVJITLINK), " or newer"),
                     lto);
  if (const Code* code = newest(inputs); code && toolkit_of(*code) > table->version / 100)
    return by_driver(concat(made_by(*code), ", and ", here,
                            " is older; update nvJitLink, or set "
                            "CUCORE_NVJITLINK to a newer one"),
                     lto);
  if (const Code* code = foreign_ltoir(inputs, table->version / 1000))
    return {CUCORE_BACKEND_NVJITLINK, here,
            concat("LTO-IR is linked by nvJitLink of its own major version: ", made_by(*code),
                   ", and this is ", here)};
  return {CUCORE_BACKEND_NVJITLINK, here, {}};
}

}  // namespace cucore::core
