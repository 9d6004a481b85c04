// SPDX-License-Identifier: Apache-2.0
// cp.async: the data of a copy is visible after its wait, and not before.
#include <gtest/gtest.h>

#include "expect.hpp"

namespace cucore::cpu::test {
namespace {

const char* const COPY_MEMORY = ".shared .align 16 .b8 s[4096]; .shared .align 8 .b64 bar;\n";
// %rd2, %rd3 and %r3 are the thread's 16 bytes of a, b and s.
const char* const PLACES =
    "mul.wide.u32 %rd2, %r1, 16; add.s64 %rd3, %rd2, %rd1; add.s64 %rd2, %rd2, %rd0;"
    "mov.u32 %r4, s; mad.lo.u32 %r3, %r1, 16, %r4; st.shared.v4.u32 [%r3], {7, 7, 7, 7};\n";
const char* const COPY = "cp.async.ca.shared.global [%r3], [%rd2], 16;";
const char* const STORE_COPY =
    "ld.shared.v4.u32 {%r5,%r6,%r7,%r8}, [%r3];"
    "st.global.v4.u32 [%rd3], {%r5,%r6,%r7,%r8};";

std::string copying(std::initializer_list<const char*> parts) {
  std::string body = PLACES;
  for (const char* part : parts) body += part;
  return kernel_text(body, COPY_MEMORY);
}

class AsyncCopies : public testing::Test {
 protected:
  static constexpr unsigned THREADS = 80;
  AsyncCopies() : a_(THREADS * 4), b_(THREADS * 4) {
    for (unsigned i = 0; i < a_.size(); ++i) a_[i] = 1000 + i;
  }
  void run(std::initializer_list<const char*> parts) {
    expect_success(run_text(copying(parts), shape(1, THREADS), a_.address(), b_.address(), 3));
  }
  std::vector<unsigned> old() const { return std::vector<unsigned>(b_.size(), 7); }
  Array<unsigned> a_, b_;
};

TEST_F(AsyncCopies, AreVisibleAfterTheWaitForAll) {
  run({COPY, "cp.async.wait_all;", STORE_COPY});
  EXPECT_EQ(b_.values(), a_.values());
  run(
      {"cp.async.cg.shared.global.L2::128B [%r3], [%rd2], 16; cp.async.commit_group;"
       "cp.async.wait_group 0;",
       STORE_COPY});
  EXPECT_EQ(b_.values(), a_.values());
}

TEST_F(AsyncCopies, WithoutTheWaitTheOldDataIsVisible) {
  for (const char* end : {"", "cp.async.commit_group;", "bar.sync 0;", "cp.async.wait_group 0;",
                          "cp.async.commit_group; cp.async.wait_group 1;"}) {
    run({COPY, end, STORE_COPY});
    EXPECT_EQ(b_.values(), old()) << end;
  }
}

TEST_F(AsyncCopies, TheWaitOfAnotherThreadHasNoEffect) {
  run({"setp.eq.u32 %p1, %r1, 5;", COPY, "@%p1 cp.async.wait_all; bar.sync 0;", STORE_COPY});
  std::vector<unsigned> expected = old();
  for (unsigned i = 20; i < 24; ++i) expected[i] = a_[i];
  EXPECT_EQ(b_.values(), expected);
}

TEST_F(AsyncCopies, GroupsCompleteInOrder) {
  const char* const GROUPS =
      "cp.async.ca.shared.global [%r3], [%rd2], 4; cp.async.commit_group;"
      "cp.async.ca.shared.global [%r3+4], [%rd2+4], 4; cp.async.commit_group;"
      "cp.async.commit_group;"  // an empty group counts too
      "cp.async.ca.shared.global [%r3+8], [%rd2+8], 8;";
  const struct {
    const char* wait;
    unsigned words;
  } cases[] = {{"cp.async.wait_group 3;", 0},
               {"cp.async.wait_group 2;", 1},
               {"cp.async.wait_group 1;", 2},
               {"cp.async.wait_group 0;", 2},
               {"cp.async.wait_all;", 4}};
  for (const auto& c : cases) {
    run({GROUPS, c.wait, STORE_COPY});
    for (unsigned i = 0; i < b_.size(); ++i)
      ASSERT_EQ(b_[i], i % 4 < c.words ? a_[i] : 7) << c.wait << " " << i;
  }
}

// The copy reads its source in the wait, as late as PTX permits.
TEST_F(AsyncCopies, AWriteToTheSourceBeforeTheWaitIsVisible) {
  run({COPY, "st.global.u32 [%rd2], 5; cp.async.wait_all;", STORE_COPY});
  for (unsigned i = 0; i < b_.size(); i += 4) EXPECT_EQ(b_[i], 5u);
}

TEST_F(AsyncCopies, FillWithZeros) {
  run(
      {"mov.u32 %r9, 6; cp.async.ca.shared.global [%r3], [%rd2], 8, %r9;"
       "cp.async.cg.shared.global [%r3], [%rd2], 16, 4; cp.async.wait_all;",
       STORE_COPY});
  for (unsigned i = 0; i < b_.size(); ++i) EXPECT_EQ(b_[i], i % 4 == 0 ? a_[i] : 0) << i;
  run(
      {"and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 1;"
       "cp.async.ca.shared.global [%r3], [%rd2], 8, %p1; cp.async.wait_all;",
       STORE_COPY});
  for (unsigned i = 0; i < b_.size(); ++i)
    EXPECT_EQ(b_[i], i % 4 >= 2 ? 7 : i / 4 % 2 ? 0 : a_[i]) << i;
}

TEST_F(AsyncCopies, IgnoreTheSourceUnderANegatedPredicate) {
  run(
      {"and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 1;"
       "cp.async.ca.shared.global [%r3], [%rd2], 8, !%p1; cp.async.wait_all;",
       STORE_COPY});
  for (unsigned i = 0; i < b_.size(); ++i)
    EXPECT_EQ(b_[i], i % 4 >= 2 ? 7 : i / 4 % 2 ? a_[i] : 0) << i;
  expect_fault(
      run_text(copying({"mov.u32 %r9, 4; cp.async.ca.shared.global [%r3], [%rd2], 8, !%r9;"}),
               shape(1, 1), a_.address(), b_.address()),
      CUDA_ERROR_NOT_SUPPORTED, {"instruction not implemented"});
}

TEST_F(AsyncCopies, AcceptCachePolicies) {
  run(
      {"createpolicy.fractional.L2::evict_last.b64 %rd9, 1.0;"
       "cp.async.cg.shared.global.L2::cache_hint.L2::256B [%r3], [%rd2], 16, %rd9;"
       "cp.async.wait_all;",
       STORE_COPY});
  EXPECT_EQ(b_.values(), a_.values());
}

TEST_F(AsyncCopies, ArriveAtAnMbarrier) {
  // The barrier waits for all threads; without .noinc, for one more arrival of each.
  for (const char* arrive : {"cp.async.mbarrier.arrive.noinc.shared.b64 [bar];",
                             "cp.async.mbarrier.arrive.shared::cta.b64 [bar];"
                             "mbarrier.arrive.shared.b64 %rd5, [bar];"}) {
    run(
        {"setp.eq.u32 %p1, %r1, 0; mov.u32 %r9, %ntid.x; @%p1 mbarrier.init.shared.b64 [bar], %r9;"
         "bar.sync 0;",
         COPY, arrive, "ld.shared.u32 %r10, [%r3];\n",
         "again: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra again;"
         "xor.b32 %r11, %r3, 16; ld.shared.v4.u32 {%r5,%r6,%r7,%r8}, [%r11]; add.u32 %r5, %r5, "
         "%r10;"
         "st.global.v4.u32 [%rd3], {%r5,%r6,%r7,%r8};"});
    for (unsigned i = 0; i < b_.size(); ++i)
      ASSERT_EQ(b_[i], a_[i ^ 4] + (i % 4 == 0 ? 7 : 0)) << arrive << i;
  }
}

TEST_F(AsyncCopies, FaultsBelongToTheInstruction) {
  const auto fault = [&](const char* text, CUresult code, const char* part) {
    expect_fault(run_text(copying({text, ";"}), shape(1, THREADS), a_.address(), b_.address()),
                 code, {part, text, "PTX line"});
  };
  fault("cp.async.ca.shared.global [%r3], [%rd2+16], 16", CUDA_ERROR_ILLEGAL_ADDRESS,
        "thread (79,0,0)");
  fault("cp.async.ca.shared.global [%r3+4096], [%rd2], 16", CUDA_ERROR_ILLEGAL_ADDRESS,
        "bytes of shared memory");
  fault("cp.async.ca.shared.global [%r3], [%rd2+2], 4", CUDA_ERROR_MISALIGNED_ADDRESS, "read");
  fault("cp.async.ca.shared.global [%r3+4], [%rd2], 8", CUDA_ERROR_MISALIGNED_ADDRESS, "wrote");
}

// More copies than the device keeps: the oldest ones complete early, which PTX permits.
TEST_F(AsyncCopies, AreBoundedInNumber) {
  run({"mov.u32 %r9, 0;\nagain:", COPY,
       "cp.async.commit_group; add.u32 %r9, %r9, 1;"
       "setp.lt.u32 %p1, %r9, 5000; @%p1 bra again; cp.async.wait_group 1;",
       STORE_COPY});
  EXPECT_EQ(b_.values(), a_.values());
}

// Without memory to keep copies, they happen at once. The steps are smaller than a record of a
// copy.
TEST_F(AsyncCopies, NeedNoMemory) {
  unsigned refused = 0, ran = 0;
  const std::string text =
      copying({COPY, "cp.async.commit_group; cp.async.wait_group 0;", STORE_COPY});
  for (uint64_t bytes = 40 << 10; bytes < 160 << 10; bytes += 256) {
    const LaunchMemory memory(bytes);
    const auto fault = run_text(text, shape(1, THREADS), a_.address(), b_.address());
    ++(fault ? refused : ran);
    if (fault) {
      ASSERT_EQ(fault->code, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) << fault->text;
    } else {
      ASSERT_EQ(b_.values(), a_.values()) << bytes;
    }
    std::memset(b_.data(), 0, b_.size() * 4);
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(ran, 0u);
}

TEST_F(AsyncCopies, HaveThreeSizes) {
  expect_fault(run_text(copying({"cp.async.ca.shared.global [%r3], [%rd2], 12;"}), shape(1, 1),
                        a_.address(), b_.address()),
               CUDA_ERROR_NOT_SUPPORTED, {"cp.async"});
}

}  // namespace
}  // namespace cucore::cpu::test
