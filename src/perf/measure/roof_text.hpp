// SPDX-License-Identifier: Apache-2.0
// The parts that the kernels of roofs have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/concat.hpp"

namespace cucore::perf {

inline std::string ptx_head(std::string_view version, std::string_view target) {
  return concat(".version ", version, "\n.target ", target, "\n.address_size 64\n");
}

// The begin of a kernel: its parameters in registers, and the number of the thread in %tid.
inline std::string ptx_entry(std::string_view name) {
  return concat(".visible .entry ", name,
                "(.param .u64 data, .param .u64 other, .param .u32 count, .param .u32 rounds) {\n"
                "  .reg .b64 %data, %other;\n"
                "  .reg .b32 %count, %rounds, %thread;\n"
                "  .reg .pred %p;\n"
                "  ld.param.u64 %data, [data];\n"
                "  ld.param.u64 %other, [other];\n"
                "  ld.param.u32 %count, [count];\n"
                "  ld.param.u32 %rounds, [rounds];\n"
                "  mov.u32 %thread, %tid.x;\n");
}

inline constexpr const char* PTX_LOOP = "again:\n";
inline constexpr const char* PTX_LOOP_END =
    "  sub.u32 %rounds, %rounds, 1;\n"
    "  setp.ne.u32 %p, %rounds, 0;\n"
    "  @%p bra again;\n";

// "{%v0, %v1}" of the registers first to first + count - 1.
inline std::string ptx_vector(std::string_view prefix, uint32_t first, uint32_t count) {
  std::string text = "{";
  for (uint32_t i = 0; i < count; ++i) text += concat(i ? ", " : "", prefix, first + i);
  return text + "}";
}

}  // namespace cucore::perf
