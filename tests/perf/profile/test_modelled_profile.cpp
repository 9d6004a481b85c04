// SPDX-License-Identifier: Apache-2.0
// Profiles by events on the CPU device, whose bytes and operations come from the model of launches.
#include <cstring>
#include <vector>

#include "profiled.hpp"

namespace {

using profiled::BLOCKS;
using profiled::BYTES;
using profiled::Profiled;
using profiled::THREADS;

// `strided` reads a word of each line of 128 bytes. `gather` reads by an index from memory, and
// `conflicts` stores to one bank of shared memory. `some` ends for threads from n on. `textured`
// reads a texture only if the memory has a zero, as the model has.
constexpr char KERNELS[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry strided(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd3, %r3, 128;
  mul.wide.u32 %rd4, %r3, 4;
  add.s64 %rd3, %rd1, %rd3;
  add.s64 %rd4, %rd2, %rd4;
  ld.global.f32 %f1, [%rd3];
  st.global.f32 [%rd4], %f1;
  ret;
}
.visible .entry gather(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd4, %r3, 4;
  add.s64 %rd4, %rd2, %rd4;
  ld.global.u32 %r1, [%rd4];
  and.b32 %r1, %r1, 7;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd3, %rd1, %rd3;
  ld.global.u32 %r2, [%rd3];
  st.global.u32 [%rd4], %r2;
  ret;
}
.visible .entry conflicts(.param .u64 x, .param .u64 y) {
  .shared .align 4 .b8 tile[4096];
  .reg .b32 %r<5>;
  mov.u32 %r1, %tid.x;
  and.b32 %r1, %r1, 31;
  shl.b32 %r1, %r1, 7;
  mov.u32 %r2, tile;
  add.u32 %r2, %r2, %r1;
  st.shared.u32 [%r2], %r1;
  ret;
}
.visible .entry some(.param .u64 x, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra end;
  mul.wide.u32 %rd2, %r2, 32;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
end:
  ret;
}
.visible .entry textured(.param .u64 t, .param .u64 y) {
  .reg .b64 %d;
  .reg .b32 %r<4>;
  .reg .s32 %x;
  .reg .pred %p;
  ld.param.u64 %d, [t];
  ld.global.u32 %r0, [%d];
  setp.ne.u32 %p, %r0, 0;
  @%p bra end;
  mov.s32 %x, 0;
  tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%d, {%x}];
end:
  ret;
}
.visible .entry both(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  ld.global.u32 %r3, [%rd5];
  ret;
}
)";
constexpr uint32_t ELEMENTS = THREADS;  // one block
constexpr size_t ROOM = 128 * THREADS;

class ModelledProfile : public Profiled {
 protected:
  void SetUp() override {
    Profiled::SetUp();
    options.source = CUCORE_PROFILER_SOURCE_EVENTS;
    ASSERT_EQ(cucore_buffer_create(device, ROOM, stream, &room, nullptr), CUCORE_OK);
    const uint32_t one = 1;
    ASSERT_EQ(cucore_buffer_fill(room, 0, ROOM, &one, sizeof one, stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_buffer_fill(y, 0, BYTES, &one, sizeof one, stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, KERNELS, sizeof KERNELS - 1, nullptr,
                                       &code, nullptr),
              CUCORE_OK);
  }
  void TearDown() override {
    cucore_objectcode_release(code);
    cucore_buffer_release(room);
    Profiled::TearDown();
  }

  static cucore_launch_options one_block() {
    cucore_launch_options how = CUCORE_LAUNCH_OPTIONS_INIT;
    how.grid[0] = 1;
    how.block[0] = ELEMENTS;
    return how;
  }
  void launch_named(const char* name, const std::vector<cucore_argument>& arguments) {
    cucore_kernel* found = nullptr;
    ASSERT_EQ(cucore_objectcode_find_kernel(code, name, &found, nullptr), CUCORE_OK);
    const cucore_launch_options how = one_block();
    EXPECT_EQ(cucore_kernel_launch(found, stream, &how, arguments.data(), arguments.size(), &error),
              CUCORE_OK)
        << message();
    cucore_kernel_release(found);
  }
  void profile(const char* name) {
    begin();
    launch_named(name, {{room, CUCORE_ARGUMENT_OBJECT}, {y, CUCORE_ARGUMENT_OBJECT}});
    end();
  }
  void launch_some(uint32_t n) {
    launch_named("some", {{room, CUCORE_ARGUMENT_OBJECT}, {&n, sizeof n}});
  }

  cucore_buffer* room = nullptr;
  cucore_objectcode* code = nullptr;
};

// 13 instructions per thread.
TEST_F(ModelledProfile, HasTheBytesAndOperationsOfTheModel) {
  begin();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(launch(), CUCORE_OK);
  EXPECT_EQ(launch(1), CUCORE_OK);
  end();
  ASSERT_EQ(cucore_report_kernel_count(report), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const cucore_kernel_row one = row(i);
    const double share = one.grid[0] == BLOCKS ? 3 : 1.0 / BLOCKS;
    EXPECT_EQ(one.bytes_source, CUCORE_AMOUNT_SOURCE_MODEL);
    EXPECT_EQ(one.bytes_read, share * BYTES);
    EXPECT_EQ(one.bytes_written, share * BYTES);
    EXPECT_EQ(one.operations, share * BLOCKS * THREADS * 6) << "a product, and 5 of integers";
    EXPECT_EQ(one.intensity, 1.0 / 8) << "of the products alone";
    EXPECT_EQ(one.sectors_per_request, 4);
    double warps = 0;
    EXPECT_EQ(cucore_report_counter(report, i, "model.warp_instructions", &warps, nullptr),
              CUCORE_OK);
    EXPECT_EQ(warps, share * BLOCKS * THREADS / 32 * 13);
  }
  EXPECT_TRUE(contains(json(), "\"source\":\"model\""));
  EXPECT_TRUE(contains(json(), "\"is_lower_bound\":false"));
}

TEST_F(ModelledProfile, IsOffOnRequest) {
  options.model = CUCORE_TOGGLE_OFF;
  begin();
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().bytes_source, CUCORE_AMOUNT_SOURCE_NONE);
  EXPECT_TRUE(std::isnan(row().bytes_read));
  EXPECT_TRUE(std::isnan(row().operations));
}

TEST_F(ModelledProfile, TakesDeclarationsFirst) {
  hints.bytes_read = 10;
  hints.bytes_written = 20;
  begin();
  EXPECT_EQ(launch(), CUCORE_OK);
  end();
  EXPECT_EQ(row().bytes_source, CUCORE_AMOUNT_SOURCE_DECLARED);
  EXPECT_EQ(row().bytes_read, 10);
  EXPECT_EQ(row().bytes_written, 20);
  EXPECT_EQ(row().operations, BLOCKS * THREADS * 6) << "which were not declared";
}

// A warp reads 32 sectors and requests 4 bytes of each.
TEST_F(ModelledProfile, FindsAccessesThatAreApart) {
  profile("strided");
  EXPECT_EQ(row().bytes_read, 32.0 * ELEMENTS) << "the different sectors";
  EXPECT_EQ(row().bytes_written, 4.0 * ELEMENTS);
  EXPECT_EQ(row().sectors_per_request, (32 + 4) / 2);
  const std::string text = write(CUCORE_REPORT_FORMAT_TEXT);
  EXPECT_TRUE(
      contains(text.substr(0, text.find("kernel   ")), "uncoalesced access at line 15 of the PTX"))
      << text;
}

// 32 threads of a warp store to one bank: 32 wavefronts, 31 of them conflicts.
TEST_F(ModelledProfile, FindsBankConflicts) {
  profile("conflicts");
  EXPECT_EQ(counter("model.shared_wavefronts"), ELEMENTS);
  EXPECT_EQ(counter("model.shared_bank_conflicts"), ELEMENTS / 32 * 31);
  const std::string text = write(CUCORE_REPORT_FORMAT_TEXT);
  EXPECT_TRUE(contains(text, "bank conflicts at line 43 of the PTX (P207)")) << text;
  EXPECT_FALSE(contains(text, "P210")) << "no data is moved";
}

TEST_F(ModelledProfile, NamesTheAccessThatItCannotFollow) {
  profile("gather");
  EXPECT_EQ(row().bytes_source, CUCORE_AMOUNT_SOURCE_MODEL);
  EXPECT_TRUE(contains(json(), "\"is_lower_bound\":true"));
  EXPECT_TRUE(contains(write(), "PTX line 31: an address depends on a loaded value")) << write();
}

// The arguments decide how many threads store to a sector of their own.
TEST_F(ModelledProfile, AddsCallsWithDifferentArguments) {
  begin();
  for (const uint32_t n : {3u, 10u, 3u}) launch_some(n);
  end();
  EXPECT_EQ(row().calls, 3u);
  EXPECT_EQ(row().bytes_read, 0);
  EXPECT_EQ(row().bytes_written, 32.0 * (3 + 10 + 3));
}

TEST_F(ModelledProfile, ScalesBeyondEightLists) {
  begin();
  for (uint32_t n = 1; n <= 8; ++n) launch_some(n);
  for (uint32_t n = 9; n <= 16; ++n) launch_some(n);
  end();
  EXPECT_EQ(row().bytes_written, 2 * 32.0 * (8 * 9 / 2));
  EXPECT_TRUE(contains(write(), "The model has the arguments of 8 of 16 calls."));
}

// A session reads the arguments of some of many launches, and counts each launch.
TEST_F(ModelledProfile, SamplesTheArgumentsOfManyCalls) {
  constexpr int CALLS = 2000;
  begin();
  for (int i = 0; i < CALLS; ++i) launch_some(i % 2 == 0 ? 3 : 11);
  end();
  EXPECT_EQ(row().calls, uint64_t{CALLS});
  EXPECT_NEAR(row().bytes_written, 32.0 * 7 * CALLS, 0.2 * 32 * 7 * CALLS);
  EXPECT_FALSE(contains(write(), "The model has the arguments"))
      << "no list of arguments is left out";
}

TEST_F(ModelledProfile, ReadsPackedArguments) {
  cucore_kernel* found = nullptr;
  ASSERT_EQ(cucore_objectcode_find_kernel(code, "some", &found, nullptr), CUCORE_OK);
  struct {
    uint64_t address;
    uint32_t n;
  } packed{cucore_buffer_address(room), 5};
  const cucore_launch_options how = one_block();
  begin();
  EXPECT_EQ(cucore_kernel_launch_packed(found, stream, &how, &packed, 12, &error), CUCORE_OK)
      << message();
  end();
  cucore_kernel_release(found);
  EXPECT_EQ(row().bytes_written, 32.0 * 5);
}

// The kernel reads 8 sectors of each argument. An array that is given twice, or once from its
// second element on, is read once. Launches with the same alignments are not the same.
TEST_F(ModelledProfile, ReadsAnArrayThatIsGivenTwiceOnce) {
  cucore_buffer *shifted = nullptr, *apart = nullptr;
  const uint64_t address = cucore_buffer_address(room);
  ASSERT_EQ(cucore_buffer_from_native(device, address + 4, BYTES, &shifted, nullptr), CUCORE_OK);
  ASSERT_EQ(cucore_buffer_from_native(device, address + 4096, BYTES, &apart, nullptr), CUCORE_OK);
  begin();
  for (cucore_buffer* const other : {apart, room, shifted})
    launch_named("both", {{room, CUCORE_ARGUMENT_OBJECT}, {other, CUCORE_ARGUMENT_OBJECT}});
  end();
  cucore_buffer_release(shifted);
  cucore_buffer_release(apart);
  EXPECT_EQ(row().bytes_read, 32.0 * ((8 + 8) + 8 + 9));
}

TEST_F(ModelledProfile, ListsKernelsWithoutAModelOnRequest) {
  for (const bool is_required : {false, true}) {
    options.model = is_required ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_DEFAULT;
    profile("textured");
    const std::string text = json();
    EXPECT_EQ(row().bytes_source, CUCORE_AMOUNT_SOURCE_NONE);
    EXPECT_TRUE(contains(text, "\"note\":\"Nomodel:")) << text;
    EXPECT_EQ(contains(text, "\"what\":\"model\""), is_required) << text;
    cucore_report_release(report);
    report = nullptr;
    cucore_profiler_release(profiler);
    profiler = nullptr;
  }
}

// The session times work of another stream during the capture, which must stay valid.
TEST_F(ModelledProfile, LeavesCapturesValid) {
  constexpr size_t COUNT = BYTES / sizeof(float);
  std::vector<float> values(COUNT, 3), seen(COUNT);
  for (const cucore_toggle timeline : {CUCORE_TOGGLE_OFF, CUCORE_TOGGLE_ON}) {
    options.timeline = timeline;
    begin();
    ASSERT_EQ(cucore_buffer_write(x, 0, values.data(), BYTES, stream, nullptr), CUCORE_OK);
    EXPECT_EQ(launch(), CUCORE_OK);
    cucore_stream* other = nullptr;
    ASSERT_EQ(cucore_stream_create(device, nullptr, &other, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_stream_begin_capture(stream, nullptr, nullptr), CUCORE_OK);
    EXPECT_EQ(launch(), CUCORE_OK);
    ASSERT_EQ(cucore_buffer_copy(x, 0, y, 0, BYTES, stream, nullptr), CUCORE_OK);
    EXPECT_EQ(launch(), CUCORE_OK);
    const uint32_t one = 1;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(cucore_buffer_fill(room, 0, ROOM, &one, sizeof one, other, nullptr), CUCORE_OK);
    cucore_graph* graph = nullptr;
    cucore_executable* executable = nullptr;
    ASSERT_EQ(cucore_stream_end_capture(stream, &graph, &error), CUCORE_OK) << message();
    ASSERT_EQ(cucore_executable_create(graph, nullptr, &executable, &error), CUCORE_OK)
        << message();
    ASSERT_EQ(cucore_executable_launch(executable, stream, &error), CUCORE_OK) << message();
    ASSERT_EQ(cucore_buffer_read(y, 0, seen.data(), BYTES, stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_stream_synchronize(stream, nullptr), CUCORE_OK);
    EXPECT_EQ(seen, std::vector<float>(COUNT, 12)) << "3 is doubled, copied and doubled";
    end();
    EXPECT_EQ(row().calls, 1u);
    EXPECT_TRUE(contains(json(), "\"captured\":2"));
    cucore_executable_release(executable);
    cucore_graph_release(graph);
    cucore_stream_release(other);
    cucore_report_release(report);
    cucore_profiler_release(profiler);
    report = nullptr;
    profiler = nullptr;
  }
}

TEST_F(ModelledProfile, TimesCopiesFillsAndGraphs) {
  std::vector<float> values(BYTES / sizeof(float));
  const uint32_t zero = 0;
  cucore_graph* graph = nullptr;
  cucore_executable* executable = nullptr;
  ASSERT_EQ(cucore_stream_begin_capture(stream, nullptr, nullptr), CUCORE_OK);
  EXPECT_EQ(launch(), CUCORE_OK);
  ASSERT_EQ(cucore_stream_end_capture(stream, &graph, nullptr), CUCORE_OK);
  ASSERT_EQ(cucore_executable_create(graph, nullptr, &executable, nullptr), CUCORE_OK);
  begin();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cucore_buffer_write(x, 0, values.data(), BYTES, stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_buffer_copy(y, 0, x, 0, 100, stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_buffer_fill(y, 0, 40, &zero, 4, stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_buffer_read(y, 0, values.data(), BYTES, stream, nullptr), CUCORE_OK);
    ASSERT_EQ(cucore_executable_launch(executable, stream, nullptr), CUCORE_OK);
  }
  EXPECT_NE(cucore_buffer_copy(y, 0, x, 0, BYTES + 1, stream, nullptr), CUCORE_OK);
  end();
  cucore_executable_release(executable);
  cucore_graph_release(graph);
  const std::string text = json();
  const auto row_of = [&](const std::string& kind) {
    const size_t at = text.find("\"kind\":\"" + kind + "\"");
    const size_t begin = text.rfind('{', at);
    return at == std::string::npos ? "none" : text.substr(begin, text.find('}', at) - begin);
  };
  for (const auto& [kind, bytes] : {std::pair{"copy", size_t{100}},
                                    {"fill", 40},
                                    {"write", BYTES},
                                    {"read", BYTES},
                                    {"graph_launch", 0}}) {
    const std::string one = row_of(kind);
    EXPECT_TRUE(contains(one, "\"bytes\":" + std::to_string(3 * bytes) + ",")) << kind << one;
    EXPECT_TRUE(contains(one, "\"calls\":3,")) << kind << one;
    EXPECT_TRUE(contains(one, "\"timed\":3")) << kind << one;
    EXPECT_FALSE(contains(one, "\"seconds\":null")) << kind << one;
  }
  EXPECT_TRUE(contains(row_of("copy"), "\"failed\":1"));
}

}  // namespace
