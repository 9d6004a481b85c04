// SPDX-License-Identifier: Apache-2.0
#include "core/compile/link_classes.hpp"

#include <algorithm>

#include "core/compile/class_probe.hpp"
#include "core/compile/linked_symbols.hpp"
#include "driver/nvjitlink.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

namespace cucore::core {

using image::CodeType;
using image::Symbol;

namespace {

// The first version that links for FIRST_MARKING_ARCH.
constexpr int FIRST_MARKING_VERSION = 12080;

// PTX and machine code cannot be linked to PTX; their kernels already have classes.
LinkJob class_job(const LinkJob& job) {
  LinkJob out = job;
  out.target = CodeType::PTX;
  std::erase_if(out.inputs, [](const LinkInput& input) {
    return input.type == CodeType::PTX || input.type == CodeType::CUBIN;
  });
  if (job.arch.number < FIRST_MARKING_ARCH && driver::nvjitlink().version >= FIRST_MARKING_VERSION)
    out.arch = {.number = FIRST_MARKING_ARCH, .is_virtual = false};
  out.what = concat("find the classes of parameters: ", job.what);
  return out;
}

}  // namespace

void complete_classes(std::vector<Symbol>& symbols, const LinkJob& job) {
  if (!job.lto || !image::has_open_classes(symbols)) return;
  try {
    const LinkJob second = class_job(job);
    if (second.inputs.empty() || (job.target == CodeType::PTX && second.arch == job.arch)) return;
    std::vector<Symbol> stated =
        image::inspect(CodeType::PTX, link_with_nvjitlink(second).bytes).symbols;
    // If several inputs have an internal kernel of one name, a link renames some.
    if (job.inputs.size() > 1)
      std::erase_if(stated, [](const Symbol& symbol) { return is_internal(symbol.lowered_name); });
    if (second.arch.number >= FIRST_MARKING_ARCH)
      image::adopt_stated_classes(symbols, stated);
    else
      image::adopt_classes(symbols, stated);
  } catch (const std::exception& failure) {
    log(LogLevel::DEBUG, concat("classes of parameters stay unknown: ", failure.what()));
  }
}

}  // namespace cucore::core
