// SPDX-License-Identifier: Apache-2.0
#include "core/compile/ltoir.hpp"

#include "core/compile/linker.hpp"
#include "core/load/objectcode.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

namespace cucore::core {

using container::Code;
using image::Arch;
using image::CodeType;

namespace {

// Without a device: the code's architecture, else one that every nvJitLink since 12.3 supports.
constexpr uint16_t ANY_DEVICE = 80;

Code link(const Code& code, uint16_t device, bool to_ptx, OpenClasses classes) {
  LinkerOptions options;
  options.arch = Arch{.number = device, .is_virtual = false};
  // Code for this exact device or its family may use features that others lack.
  if (code.arch.suffix && code.arch.runs_on(device)) options.arch.suffix = code.arch.suffix;
  if (code.arch.suffix == 'f' && code.arch.number != device) options.arch.suffix = 0;
  return link_codes({&code}, to_ptx ? CodeType::PTX : CodeType::CUBIN, options, nullptr, classes);
}

}  // namespace

Code link_ltoir(const Code& code, uint16_t device, bool to_ptx) {
  return link(code, device, to_ptx, OpenClasses::KEEP);
}

std::vector<image::Symbol> symbols_of_ltoir(const Code& code) {
  try {
    const uint16_t device = code.arch.empty() ? ANY_DEVICE : code.arch.number;
    return link(code, device, true, OpenClasses::COMPLETE).symbols;
  } catch (const Error& error) {
    log(LogLevel::INFO, "the symbols of LTOIR are unknown: " + error.message());
    return code.symbols;
  }
}

}  // namespace cucore::core
