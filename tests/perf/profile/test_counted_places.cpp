// SPDX-License-Identifier: Apache-2.0
// Findings of the CPU device have the line of the instruction that causes most of them.
#include <algorithm>
#include <string>
#include <utility>

#include "profiled.hpp"

namespace {

using profiled::Profiled;

constexpr char HEAD[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry slow(.param .u64 x, .param .u64 y) {
  .reg .pred %p<4>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  .local .align 8 .b8 array[64];
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  mov.u32 %r1, %tid.x;
  and.b32 %r1, %r1, 31;
  mov.u32 %r2, 0;
)";

constexpr char WORK[] = R"(
  add.u32 %r2, %r2, %r1;
  add.u32 %r2, %r2, %r1;
  add.u32 %r2, %r2, %r1;
  add.u32 %r2, %r2, %r1;
)";

// Stores four bytes per thread, next to each other.
constexpr char TAIL[] = R"(
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d4, %d2, %d3;
  st.global.u32 [%d4], %r2;
  ret;
}
)";

class CountedPlaces : public Profiled {
 protected:
  // Profiles a launch of a kernel with the lines, of which one has a mark.
  void profile(const std::string& lines) {
    text_ = HEAD + lines + TAIL;
    cucore_objectcode* code = nullptr;
    ASSERT_EQ(cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, text_.data(), text_.size(), nullptr,
                                       &code, &error),
              CUCORE_OK)
        << message();
    cucore_kernel_release(std::exchange(kernel, nullptr));
    ASSERT_EQ(cucore_objectcode_find_kernel(code, "slow", &kernel, nullptr), CUCORE_OK);
    cucore_objectcode_release(code);
    begin();
    ASSERT_EQ(launch(1), CUCORE_OK);
    end();
  }

  long marked_line() const {
    const size_t mark = text_.find("// here");
    return 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(mark), '\n');
  }

  // Returns the PTX line of the first finding with the id; 0: none.
  uint32_t line_of(const char* id) {
    for (size_t i = 0; i < cucore_report_finding_count(report); ++i) {
      cucore_finding finding = CUCORE_FINDING_INIT;
      EXPECT_EQ(cucore_report_finding_at(report, i, &finding, nullptr), CUCORE_OK);
      if (finding.id == std::string(id)) return finding.ptx_line;
    }
    return 0;
  }

  std::string text_;
};

std::string branch_with_two_sides() {
  const std::string work = WORK;
  return R"(
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra even;  // here
)" + work +
         work +
         R"(
  bra join;
even:
)" + work +
         work + "join:\n";
}

// The first branch parts the threads around one instruction, the second one around many.
TEST_F(CountedPlaces, OfABranchWithTwoSides) {
  profile(R"(
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra skip;
  add.u32 %r2, %r2, 1;
skip:
)" + branch_with_two_sides());
  EXPECT_EQ(line_of("P208"), marked_line());
}

TEST_F(CountedPlaces, OfALoopWithDifferentTripCounts) {
  profile(std::string(R"(
  mov.u32 %r3, 0;
again:
)") + WORK +
          R"(
  add.u32 %r3, %r3, 1;
  setp.le.u32 %p1, %r3, %r1;
  @%p1 bra again;  // here
)");
  EXPECT_EQ(line_of("P208"), marked_line());
}

TEST_F(CountedPlaces, OfABranchOutOfALoop) {
  profile(std::string(R"(
  mov.u32 %r3, 0;
again:
)") + WORK +
          R"(
  setp.gt.u32 %p1, %r3, %r1;
  @%p1 bra done;  // here
  add.u32 %r3, %r3, 1;
  bra again;
done:
)");
  EXPECT_EQ(line_of("P208"), marked_line());
}

// Profiles by events have the counts of the model.
TEST_F(CountedPlaces, OfTheModel) {
  options.source = CUCORE_PROFILER_SOURCE_EVENTS;
  profile(branch_with_two_sides());
  EXPECT_EQ(line_of("P208"), marked_line());
}

// A small branch within a large one.
TEST_F(CountedPlaces, OfTheOuterOfTwoBranches) {
  const std::string work = WORK;
  profile(R"(
  setp.gt.u32 %p1, %r1, 3;
  @%p1 bra far;  // here
)" + work +
          R"(
  setp.eq.u32 %p2, %r1, 1;
  @%p2 bra near;
  add.u32 %r2, %r2, 1;
near:
)" + work +
          work + "far:\n");
  EXPECT_EQ(line_of("P208"), marked_line());
}

TEST_F(CountedPlaces, OfAStridedLoad) {
  profile(R"(
  mul.wide.u32 %d5, %r1, 4;
  add.u64 %d5, %d1, %d5;
  ld.global.u32 %r2, [%d5];
  mul.wide.u32 %d5, %r1, 32;
  add.u64 %d5, %d1, %d5;
  ld.global.u32 %r2, [%d5];  // here
)");
  EXPECT_EQ(line_of("P203"), marked_line());
}

TEST_F(CountedPlaces, OfABankConflict) {
  profile(R"(
  mov.u64 %d5, tile;
  mul.wide.u32 %d6, %r1, 4;
  add.u64 %d6, %d5, %d6;
  ld.shared.u32 %r2, [%d6];
  mul.wide.u32 %d6, %r1, 128;
  add.u64 %d6, %d5, %d6;
  st.shared.u32 [%d6], %r1;  // here
)");
  EXPECT_EQ(line_of("P207"), marked_line());
}

TEST_F(CountedPlaces, OfAnArrayInLocalMemory) {
  profile(R"(
  mov.u64 %d5, array;
  and.b32 %r3, %r1, 7;
  mul.wide.u32 %d6, %r3, 8;
  add.u64 %d6, %d5, %d6;
  st.local.u32 [%d6], %r1;
  ld.local.u64 %d7, [%d6];  // here
  cvt.u32.u64 %r2, %d7;
)");
  EXPECT_EQ(line_of("P218"), marked_line());
}

// Blocks of 64 threads are whole warps, and all threads take the same path.
TEST_F(CountedPlaces, AreNotThereWithoutAReason) {
  profile(WORK);
  for (const char* id : {"P203", "P207", "P208", "P218"}) EXPECT_EQ(line_of(id), 0u) << id;
}

}  // namespace
