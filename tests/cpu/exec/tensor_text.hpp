// SPDX-License-Identifier: Apache-2.0
// Kernels that load one box of a tensor into shared memory, or store it from there.
#pragma once

#include <string>
#include <vector>

#include "text.hpp"

namespace cucore::cpu::test {

using Index = std::vector<int64_t>;

inline constexpr const char* TENSOR_MEMORY =
    ".extern .shared .align 1024 .b8 box[]; .shared .align 8 .b64 bar;\n";

inline std::string coordinates(const Index& start) {
  std::string text = "{";
  for (size_t k = 0; k < start.size(); ++k) text += (k ? ", " : "") + std::to_string(start[k]);
  return text + "}";
}

inline constexpr const char* WAIT_FOR_BOX =
    "waits: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra waits;";
inline constexpr uint32_t ROOM = 32 << 10;

// Loads a box and copies all of shared memory to b.
inline std::string load_box_text(const Index& start, unsigned bytes, const char* mode = "",
                                 const std::string& offsets = "", const char* wait = WAIT_FOR_BOX) {
  return kernel_text(
      "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; mov.u32 %r10, box;"
      "add.u32 %r10, %r10, 1023; and.b32 %r10, %r10, -1024; mov.u32 %r4, %r1;\n"
      "clear: shl.b32 %r5, %r4, 2; add.u32 %r5, %r5, %r10; st.shared.u32 [%r5], 0xAAAAAAAA;"
      "add.u32 %r4, %r4, 128; setp.lt.u32 %p2, %r4, 7168; @%p2 bra clear; bar.sync 0;"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], " +
          std::to_string(bytes) +
          ";"
          "@%p1 cp.async.bulk.tensor." +
          std::to_string(start.size()) + "d.shared::cluster.global" + mode +
          ".mbarrier::complete_tx::bytes [%r10], [%rd0, " + coordinates(start) + "], [bar]" +
          offsets + ";\n" + wait +
          "mov.u32 %r4, %r1;\n"
          "more: shl.b32 %r5, %r4, 2; cvt.u64.u32 %rd3, %r5; add.s64 %rd3, %rd3, %rd1;"
          "add.u32 %r5, %r5, %r10; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd3], %r6;"
          "add.u32 %r4, %r4, 128; setp.lt.u32 %p2, %r4, 7168; @%p2 bra more;",
      TENSOR_MEMORY);
}

// The bytes of shared memory that the kernels copy, from the start of the box.
inline constexpr size_t SEEN = 7168 * 4;

// Copies b to shared memory and stores the box from there; `name` is the start of the instruction.
inline std::string store_box_text(const Index& start, const char* name, const char* mode = "") {
  return kernel_text(
      "mov.u32 %r10, box; add.u32 %r10, %r10, 1023; and.b32 %r10, %r10, -1024; mov.u32 %r4, %r1;\n"
      "fills: shl.b32 %r5, %r4, 2; cvt.u64.u32 %rd3, %r5; add.s64 %rd3, %rd3, %rd1;"
      "add.u32 %r5, %r5, %r10; ld.global.u32 %r6, [%rd3]; st.shared.u32 [%r5], %r6;"
      "add.u32 %r4, %r4, 128; setp.lt.u32 %p2, %r4, 7168; @%p2 bra fills; bar.sync 0;"
      "setp.ne.u32 %p1, %r1, 0; @%p1 exit;" +
          std::string(name) + std::to_string(start.size()) + "d.global.shared::cta" + mode +
          ".bulk_group [%rd0, " + coordinates(start) +
          "], [%r10];"
          "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
          "st.shared.u32 [%r10], 0; cp.async.bulk.wait_group 0;",
      TENSOR_MEMORY);
}

}  // namespace cucore::cpu::test
