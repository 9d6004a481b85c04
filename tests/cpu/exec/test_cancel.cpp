// SPDX-License-Identifier: Apache-2.0
// Requests to cancel the launch of clusters. The device launches all of them, so each request
// fails, and each block of a kernel does its own work.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

const char* const MEMORY_OF_CANCEL =
    ".shared .align 16 .b8 response[32]; .shared .align 8 .b64 bar;\n";

std::string request(const std::string& name, const std::string& place = "response") {
  return "clusterlaunchcontrol.try_cancel.async." + name + ".b128 [" + place + "], [bar];";
}

// The loop of a kernel that takes over blocks: it counts the blocks that each thread block has
// done.
std::string loop_of_blocks(const std::string& name) {
  return kernel_text(
      ".reg .b128 %q; setp.ne.u32 %p1, %r1, 0; @%p1 bra done;"
      "mbarrier.init.shared.b64 [bar], 1; st.shared.v2.b64 [response], {-1, -1}; mov.u32 %r3, 0; "
      "mov.u32 %r4, %r2;\n"
      "again: add.u32 %r3, %r3, 1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd2, %rd0;"
      "atom.global.add.u32 %r5, [%rd2], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;" +
          request(name) +
          "\nwaits: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra waits;"
          "ld.shared.b128 %q, [response];"
          "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q; @!%p3 bra done;"
          "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r4, %q; bra again;\n"
          "done: @%p1 exit; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd3, %rd1;"
          "st.global.u32 [%rd3], %r3;",
      MEMORY_OF_CANCEL);
}

TEST(Cancels, EachBlockDoesItsOwnWork) {
  for (const char* name : {"shared::cta.mbarrier::complete_tx::bytes"}) {
    Array<uint32_t> done(40), own(40);
    expect_success(run_text(loop_of_blocks(name), shape(40, 64), done.address(), own.address()));
    for (size_t k = 0; k < 40; ++k) {
      EXPECT_EQ(done[k], 1u) << k;
      EXPECT_EQ(own[k], 1u) << k;
    }
  }
}

// One block asks for all blocks of its cluster.
TEST(Cancels, ResponsesReachTheCluster) {
  Array<uint32_t> a(8), b(8, 9);
  const std::string text = kernel_text(
      ".reg .b128 %q; mov.u32 %r8, %cluster_ctarank; setp.ne.u32 %p1, %r8, 0;"
      "mbarrier.init.shared.b64 [bar], 1; st.shared.v2.b64 [response], {-1, -1};"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;"
      "barrier.cluster.arrive; barrier.cluster.wait; @%p1 bra waits;" +
          request("shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all") +
          "\nwaits: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra waits;"
          "ld.shared.b128 %q, [response]; mov.b128 {%rd4, %rd5}, %q; or.b64 %rd4, %rd4, %rd5;"
          "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r3, %r4, %r5, _}, %q;"
          "cvt.u32.u64 %r6, %rd4; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd3, %rd1;"
          "st.global.u32 [%rd3], %r6; barrier.cluster.arrive; barrier.cluster.wait;",
      MEMORY_OF_CANCEL);
  expect_success(run_text(text, clusters(8, 1, 4), a.address(), b.address()));
  for (size_t k = 0; k < 8; ++k) EXPECT_EQ(b[k], 0u) << k;
}

TEST(Cancels, WrongPlacesFault) {
  const auto text = [](const std::string& place, const std::string& before) {
    return kernel_text(before + request("shared::cta.mbarrier::complete_tx::bytes", place),
                       MEMORY_OF_CANCEL);
  };
  const std::string init = "mbarrier.init.shared.b64 [bar], 1;";
  expect_fault(run_text(text("response+8", init), shape(1, 1)), CUDA_ERROR_MISALIGNED_ADDRESS,
               {"wrote 16 bytes", "PTX line"});
  expect_fault(run_text(text("response+65536", init), shape(1, 1)), CUDA_ERROR_ILLEGAL_ADDRESS,
               {"wrote 16 bytes", "PTX line"});
  EXPECT_TRUE(run_text(text("response", ""), shape(1, 1))) << "without an mbarrier";
}

}  // namespace
}  // namespace cucore::cpu::test
