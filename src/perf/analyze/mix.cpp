// SPDX-License-Identifier: Apache-2.0
#include "perf/analyze/mix.hpp"

#include <bit>

namespace cucore::perf {
namespace {

constexpr const char* CLASS_NAMES[] = {
    "any",
#define CLASS(id, name) name,
#include "perf/analyze/instruction_class.inc"
#undef CLASS
};

}  // namespace

const char* class_name(InstructionClass which) { return CLASS_NAMES[static_cast<size_t>(which)]; }

bool is_access(InstructionClass which) {
  return which >= InstructionClass::LOAD_GLOBAL && which <= InstructionClass::STORE_GENERIC;
}

void Mix::add(InstructionClass which, bool in_loop, uint32_t bytes) {
  for (const InstructionClass each : {InstructionClass::ANY, which}) {
    Count& count = counts_[static_cast<size_t>(each)];
    ++count.all;
    count.in_loops += in_loop;
    const auto width = static_cast<size_t>(std::countr_zero(bytes));
    if (bytes != 0 && width < WIDTHS) ++count.widths[width];
  }
}

}  // namespace cucore::perf
