// SPDX-License-Identifier: Apache-2.0
// cucore_analysis_model: samples, bytes of memory, predictions, and each status of the header.
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "corpus_launch.hpp"

namespace cucore::perf::test {
namespace {

constexpr double MIB = 1 << 20;

constexpr const char* HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n";

// y[i] = a x[i] + y[i], for i below n.
const std::string SAXPY = std::string(HEAD) + R"(
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .pred %q; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<8>;
  ld.param.f32 %f0, [a]; ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %q, %r4, %r0;
  @%q bra end;
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d3, %d0, %d2; add.u64 %d4, %d1, %d2;
  ld.global.f32 %f1, [%d3]; ld.global.f32 %f2, [%d4];
  fma.rn.f32 %f3, %f0, %f1, %f2;
  st.global.f32 [%d4], %f3;
end:
  ret;
}
)";

// Each block reads one part of 4096 bytes of `mask` + 1 parts.
const std::string PARTS = std::string(HEAD) + R"(
.visible .entry parts(.param .u64 x, .param .u32 mask)
{
  .reg .b32 %r<8>; .reg .b64 %d<8>;
  ld.param.u64 %d0, [x]; ld.param.u32 %r0, [mask];
  mov.u32 %r1, %ctaid.x; and.b32 %r1, %r1, %r0; mov.u32 %r3, %tid.x;
  shl.b32 %r2, %r1, 8; add.u32 %r3, %r3, %r2;
  mul.wide.u32 %d1, %r3, 16; add.u64 %d2, %d0, %d1;
  ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d2];
  ret;
}
)";

const std::string OTHERS = std::string(HEAD) + R"(
.visible .entry endless()
{
again:
  bra again;
}
.visible .entry falls()
{
  trap;
}
.visible .entry texture(.param .u64 t)
{
  .reg .b64 %d; .reg .b32 %r<4>; .reg .s32 %x;
  ld.param.u64 %d, [t]; mov.s32 %x, 0;
  tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%d, {%x}];
  ret;
}
.visible .entry products()
{
  .reg .pred %q; .reg .b32 %r; .reg .f32 %f;
  mov.f32 %f, 0f3F800000; mov.u32 %r, 0;
again:
  fma.rn.f32 %f, %f, %f, %f; fma.rn.f32 %f, %f, %f, %f;
  add.u32 %r, %r, 1; setp.lt.u32 %q, %r, 100;
  @%q bra again;
  ret;
}
)";

struct Arguments {
  Arguments& buffer(const cucore_buffer* given = nullptr) {
    list.push_back({given, CUCORE_ARGUMENT_OBJECT});
    return *this;
  }
  template <class T>
  Arguments& value(T given) {
    auto& bytes = *bytes_.emplace_back(std::make_unique<std::array<char, 16>>());
    std::memcpy(bytes.data(), &given, sizeof given);
    list.push_back({bytes.data(), sizeof given});
    return *this;
  }
  std::vector<cucore_argument> list;

 private:
  std::vector<std::unique_ptr<std::array<char, 16>>> bytes_;
};

cucore_launch_options launch_of(unsigned grid, unsigned block) {
  cucore_launch_options launch = CUCORE_LAUNCH_OPTIONS_INIT;
  launch.grid[0] = grid;
  launch.block[0] = block;
  return launch;
}

class LaunchModel : public testing::Test {
 protected:
  void open(const std::string& ptx, const char* arch = nullptr,
            cucore_model_mode mode = CUCORE_MODEL_MODE_DEFAULT) {
    cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
    options.archs = &arch;
    options.arch_count = arch ? 1 : 0;
    options.model = mode;
    analysis = analyse(ptx, &options);
  }

  cucore_status model(const char* kernel, const cucore_launch_options& launch,
                      const Arguments& arguments) {
    info = CUCORE_MODEL_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status =
        cucore_analysis_model(analysis.get(), kernel_index(analysis.get(), kernel), &launch,
                              arguments.list.data(), arguments.list.size(), &info, &error);
    message = error ? cucore_error_message(error) : "";
    cucore_error_release(error);
    if (status != CUCORE_OK) {
      EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_NONE);
    }
    return status;
  }

  AnalysisOwner analysis;
  cucore_model_info info = CUCORE_MODEL_INFO_INIT;
  std::string message;
};

// 1,000,001 elements in 3907 blocks of 256 threads: the last has 65 elements in three warps.
TEST_F(LaunchModel, ScalesASampleToTheGrid) {
  constexpr double N = 1000001;
  open(SAXPY);
  const Arguments arguments =
      std::move(Arguments().value(2.0f).buffer().buffer().value(uint32_t(N)));
  ASSERT_EQ(model("saxpy", launch_of(3907, 256), arguments), CUCORE_OK) << message;
  EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_SCALED);
  EXPECT_STREQ(info.reason, "");
  EXPECT_EQ(info.blocks, 3907u);
  EXPECT_EQ(info.blocks_run, 64u);
  EXPECT_EQ(info.requested_read, 8 * N);
  EXPECT_EQ(info.requested_written, 4 * N);
  constexpr double SECTORS = 125001;  // of 8 elements
  EXPECT_EQ(info.sector_read, 2 * SECTORS * 32);
  EXPECT_EQ(info.compulsory_read, 2 * SECTORS * 32);
  EXPECT_EQ(info.compulsory_written, SECTORS * 32);
  EXPECT_EQ(info.operations_f32, 2 * N);
  // All warps, of which those with elements have 8 instructions more. The last warp parts.
  EXPECT_EQ(info.warp_instructions, 3907.0 * 8 * 11 + (3906.0 * 8 + 3) * 7);
  EXPECT_EQ(info.divergent_branches, 1);
}

TEST_F(LaunchModel, RunsAllOfAFewBlocks) {
  open(SAXPY);
  const Arguments arguments = std::move(Arguments().value(2.0f).buffer().buffer().value(16384u));
  ASSERT_EQ(model("saxpy", launch_of(64, 256), arguments), CUCORE_OK) << message;
  EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_EXACT);
  EXPECT_EQ(info.blocks_run, 64u);
  ASSERT_EQ(model("saxpy", launch_of(65, 256), arguments), CUCORE_OK) << message;
  EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_SCALED);
  EXPECT_EQ(info.requested_read, 16384.0 * 8);
}

TEST_F(LaunchModel, TakesCompulsoryBytesIfFewSectorsAreUsedAgain) {
  open(SAXPY);
  const Arguments arguments = std::move(Arguments().value(2.0f).buffer().buffer().value(1u << 28));
  ASSERT_EQ(model("saxpy", launch_of(1 << 20, 256), arguments), CUCORE_OK) << message;
  EXPECT_EQ(info.source, CUCORE_MODEL_SOURCE_COMPULSORY);
  EXPECT_EQ(info.bytes_read, 2048 * MIB);
  EXPECT_EQ(info.bytes_written, 1024 * MIB);
  EXPECT_EQ(info.intensity, 2.0 / 12);
}

// 4096 parts of 4 KiB are 16 MiB, which the grid reads four times. The L2 cache of sm_75 has 4 MiB.
TEST_F(LaunchModel, DoesNotGuessTheReuseOfSectors) {
  open(PARTS, "sm_75");
  ASSERT_EQ(model("parts", launch_of(16384, 256), Arguments().buffer().value(4095u)), CUCORE_OK);
  EXPECT_EQ(info.source, CUCORE_MODEL_SOURCE_UNKNOWN);
  EXPECT_TRUE(std::isnan(info.bytes_read));
  EXPECT_TRUE(std::isnan(info.intensity));
  EXPECT_EQ(info.sector_read, 64 * MIB);
  EXPECT_NEAR(info.compulsory_read, 16 * MIB, 0.1 * MIB);
}

TEST_F(LaunchModel, ReusesSectorsThatFitIntoTheCache) {
  open(PARTS, "sm_90");  // 50 MiB
  ASSERT_EQ(model("parts", launch_of(16384, 256), Arguments().buffer().value(4095u)), CUCORE_OK);
  EXPECT_EQ(info.source, CUCORE_MODEL_SOURCE_COMPULSORY);
  EXPECT_NEAR(info.bytes_read, 16 * MIB, 0.1 * MIB);
}

TEST_F(LaunchModel, RunsAllBlocksThroughACache) {
  open(PARTS, "sm_75", CUCORE_MODEL_MODE_FULL);
  ASSERT_EQ(model("parts", launch_of(16384, 256), Arguments().buffer().value(4095u)), CUCORE_OK);
  EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_EXACT);
  EXPECT_EQ(info.blocks_run, 16384u);
  EXPECT_EQ(info.source, CUCORE_MODEL_SOURCE_CACHE);
  EXPECT_EQ(info.compulsory_read, 16 * MIB);
  EXPECT_NEAR(info.bytes_read, 64 * MIB, 2 * MIB);  // no part is in the cache for its second use
  EXPECT_EQ(info.bytes_written, 0);
  open(PARTS, "sm_75", CUCORE_MODEL_MODE_FULL);
  ASSERT_EQ(model("parts", launch_of(16384, 256), Arguments().buffer().value(511u)), CUCORE_OK);
  EXPECT_NEAR(info.bytes_read, 2 * MIB, 0.01 * MIB);
}

TEST_F(LaunchModel, WritesSectorsBackOnce) {
  open(SAXPY, "sm_75", CUCORE_MODEL_MODE_FULL);
  const Arguments arguments = std::move(Arguments().value(2.0f).buffer().buffer().value(1u << 22));
  ASSERT_EQ(model("saxpy", launch_of(1 << 14, 256), arguments), CUCORE_OK) << message;
  EXPECT_EQ(info.source, CUCORE_MODEL_SOURCE_CACHE);
  EXPECT_NEAR(info.bytes_read, 32 * MIB, 0.1 * MIB);
  EXPECT_NEAR(info.bytes_written, 16 * MIB, 0.1 * MIB);
}

TEST_F(LaunchModel, NamesTheBusiestUnit) {
  open(SAXPY, "sm_90");
  const Arguments arguments = std::move(Arguments().value(2.0f).buffer().buffer().value(1u << 28));
  ASSERT_EQ(model("saxpy", launch_of(1 << 20, 256), arguments), CUCORE_OK) << message;
  EXPECT_EQ(info.bound, CUCORE_MODEL_BOUND_MEMORY);
  EXPECT_STREQ(info.device, "H100 SXM");
  EXPECT_DOUBLE_EQ(info.least_seconds, 3072 * MIB / 3350e9);
  open(OTHERS, "sm_90");
  ASSERT_EQ(model("products", launch_of(10000, 1024), {}), CUCORE_OK) << message;
  EXPECT_EQ(info.bound, CUCORE_MODEL_BOUND_F32);
  EXPECT_EQ(info.operations_f32, 10000.0 * 1024 * 100 * 4);
  EXPECT_DOUBLE_EQ(info.least_seconds, info.operations_f32 / (132 * 1980e6 * 128 * 2));
}

// A matrix of 16 x 16 halves has 512 bytes, one of floats 1024.
TEST_F(LaunchModel, CountsMatricesInGlobalMemory) {
  open(std::string(HEAD) + R"(
.visible .entry move(.param .u64 x, .param .u64 y)
{
  .reg .b64 %d<2>; .reg .b32 %r<8>; .reg .f32 %f<8>;
  ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y];
  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%d0];
  wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%d1];
  wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};
  ret;
}
)");
  ASSERT_EQ(model("move", launch_of(1, 32), Arguments().buffer().buffer()), CUCORE_OK) << message;
  EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_EXACT);
  EXPECT_EQ(info.requested_read, 512 + 1024);
  EXPECT_EQ(info.compulsory_written, 1024);
}

TEST_F(LaunchModel, KnowsNoTimeForOtherArchitectures) {
  open(SAXPY, "sm_72");
  const Arguments arguments = std::move(Arguments().value(2.0f).buffer().buffer().value(64u));
  ASSERT_EQ(model("saxpy", launch_of(1, 64), arguments), CUCORE_OK) << message;
  EXPECT_EQ(info.bound, CUCORE_MODEL_BOUND_NONE);
  EXPECT_STREQ(info.device, "");
  EXPECT_TRUE(std::isnan(info.least_seconds));
}

TEST_F(LaunchModel, EndsAnEndlessKernel) {
  open(OTHERS);
  ASSERT_EQ(model("endless", launch_of(1, 32), {}), CUCORE_OK) << message;
  EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_LOWER_BOUND);
  EXPECT_STREQ(info.reason, "the launch without memory has too many instructions");
  EXPECT_EQ(info.ptx_line, 0u);
  EXPECT_GT(info.warp_instructions, 1e6);
}

TEST_F(LaunchModel, RefusesWhatNeedsMemory) {
  open(OTHERS);
  EXPECT_EQ(model("texture", launch_of(1, 32), Arguments().value(uint64_t{1})),
            CUCORE_ERROR_UNSUPPORTED);
  EXPECT_NE(message.find("tex.1d"), std::string::npos) << message;
}

TEST_F(LaunchModel, ReportsAFaultOfTheKernel) {
  open(OTHERS);
  EXPECT_EQ(model("falls", launch_of(1, 32), {}), CUCORE_ERROR_KERNEL_FAULT);
  EXPECT_NE(message.find("trap instruction"), std::string::npos) << message;
}

TEST_F(LaunchModel, RefusesOtherArguments) {
  open(SAXPY);
  const auto refused = [&](const Arguments& arguments) {
    EXPECT_EQ(model("saxpy", launch_of(1, 64), arguments), CUCORE_ERROR_INVALID_ARGUMENT);
    return message;
  };
  EXPECT_EQ(refused(Arguments().value(2.0f)), "count is 1; expected 4, one per parameter");
  EXPECT_EQ(refused(Arguments().value(2.0).buffer().buffer().value(1u)),
            "arguments[0] has 8 bytes; expected 4");
  EXPECT_EQ(refused(Arguments().value(2.0f).buffer().buffer().buffer()),
            "arguments[3] has 8 bytes; expected 4");
  Arguments missing = std::move(Arguments().value(2.0f).buffer().buffer().value(1u));
  missing.list[0].data = nullptr;
  EXPECT_NE(refused(missing).find("arguments[0].data must not be NULL"), std::string::npos)
      << message;
}

TEST_F(LaunchModel, RefusesOtherLaunches) {
  open(SAXPY);
  const Arguments arguments = std::move(Arguments().value(2.0f).buffer().buffer().value(1u));
  EXPECT_EQ(model("saxpy", launch_of(0, 64), arguments), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message, "cucore_launch_options.grid[0] is 0; expected at least 1");
  EXPECT_EQ(model("saxpy", launch_of(1, 0), arguments), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(model("saxpy", launch_of(1, 1025), arguments), CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(message,
            "the launch of saxpy does not fit the kernel; expected a grid and a block within the "
            "limits of the kernel and of its architecture");
  cucore_error* error = nullptr;
  EXPECT_EQ(cucore_analysis_model(analysis.get(), 0, nullptr, nullptr, 0, &info, &error),
            CUCORE_ERROR_INVALID_ARGUMENT);
  cucore_error_release(error);
  const auto launch = launch_of(1, 64);
  EXPECT_EQ(
      cucore_analysis_model(analysis.get(), 1, &launch, arguments.list.data(), 4, &info, nullptr),
      CUCORE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      cucore_analysis_model(analysis.get(), 0, &launch, arguments.list.data(), 4, nullptr, nullptr),
      CUCORE_ERROR_INVALID_ARGUMENT);
  info.struct_size = 8;
  EXPECT_EQ(
      cucore_analysis_model(analysis.get(), 0, &launch, arguments.list.data(), 4, &info, nullptr),
      CUCORE_ERROR_ABI_MISMATCH);
}

cucore_roof* roof_with(const std::string& values) {
  const std::string text =
      R"({"schema": "cucore.roof/1", "machine": {"device": "my device", "arch": "sm_80"}, "values": {)" +
      values + "}}";
  cucore_roof* roof = nullptr;
  EXPECT_EQ(cucore_roof_deserialize(text.data(), text.size(), &roof, nullptr), CUCORE_OK);
  return roof;
}

// Saxpy moves 12 bytes and does two operations per element. The other kernel only reads.
TEST_F(LaunchModel, UsesTheRatesOfARoof) {
  constexpr unsigned N = 4096;
  const auto model_at = [&](const std::string& ptx, const char* kernel, const std::string& values,
                            const Arguments& arguments) {
    cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
    cucore_roof* const roof = roof_with(values);
    options.roof = roof;
    analysis = analyse(ptx, &options);
    cucore_roof_release(roof);  // the analysis keeps it
    ASSERT_EQ(model(kernel, launch_of(N / 256, 256), arguments), CUCORE_OK) << message;
    EXPECT_EQ(info.is_measured, 1);
    EXPECT_STREQ(info.device, "my device");
  };
  const Arguments arguments = std::move(Arguments().value(2.0f).buffer().buffer().value(N));
  model_at(SAXPY, "saxpy", R"("copy": 1e9, "read": 2e9)", arguments);
  EXPECT_EQ(info.bound, CUCORE_MODEL_BOUND_MEMORY);
  EXPECT_DOUBLE_EQ(info.least_seconds, 12.0 * N / 1e9);
  model_at(SAXPY, "saxpy", R"("copy": 1e9, "f32": 1e6)", arguments);
  EXPECT_EQ(info.bound, CUCORE_MODEL_BOUND_F32);
  EXPECT_DOUBLE_EQ(info.least_seconds, 2.0 * N / 1e6);
  model_at(SAXPY, "saxpy", R"("read": 2e9, "f32": 1e6)", arguments);
  EXPECT_TRUE(std::isnan(info.least_seconds)) << "the rate of copies is unknown";
  model_at(PARTS, "parts", R"("copy": 1e9, "read": 2e9)",
           std::move(Arguments().buffer().value(0xffu)));
  EXPECT_DOUBLE_EQ(info.least_seconds, 16.0 * N / 2e9) << "nothing is written";
  open(SAXPY);
  ASSERT_EQ(model("saxpy", launch_of(N / 256, 256), arguments), CUCORE_OK) << message;
  EXPECT_EQ(info.is_measured, 0);
  EXPECT_STREQ(info.device, "T4");
}

TEST_F(LaunchModel, RefusesAnotherMode) {
  cucore_objectcode* code = nullptr;
  ASSERT_EQ(cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, SAXPY.data(), SAXPY.size(), nullptr,
                                     &code, nullptr),
            CUCORE_OK);
  cucore_analysis_options options = CUCORE_ANALYSIS_OPTIONS_INIT;
  options.model = static_cast<cucore_model_mode>(3);
  cucore_analysis* out = nullptr;
  EXPECT_EQ(cucore_analysis_create(code, &options, &out, nullptr), CUCORE_ERROR_INVALID_ARGUMENT);
  cucore_objectcode_release(code);
}

// The sectors of a buffer depend on its address, which has the alignment that the buffer has.
TEST_F(LaunchModel, KeepsTheAlignmentOfBuffers) {
  cucore_device* device = nullptr;
  ASSERT_EQ(cucore_device_open(0, &device, nullptr), CUCORE_OK);
  cucore_buffer *whole = nullptr, *shifted = nullptr;
  ASSERT_EQ(cucore_buffer_create_pinned(device, 4096, &whole, nullptr), CUCORE_OK);
  ASSERT_EQ(
      cucore_buffer_from_native(device, cucore_buffer_address(whole) + 4, 2048, &shifted, nullptr),
      CUCORE_OK);
  open(SAXPY);
  const auto with = [&](const cucore_buffer* x) {
    return std::move(Arguments().value(2.0f).buffer(x).buffer().value(64u));
  };
  ASSERT_EQ(model("saxpy", launch_of(1, 64), with(whole)), CUCORE_OK) << message;
  EXPECT_EQ(info.compulsory_read, 16.0 * 32);
  ASSERT_EQ(model("saxpy", launch_of(1, 64), with(shifted)), CUCORE_OK) << message;
  EXPECT_EQ(info.compulsory_read, 17.0 * 32);
  cucore_buffer_release(shifted);
  EXPECT_EQ(model("saxpy", launch_of(1, 64), with(shifted)), CUCORE_ERROR_INVALID_HANDLE);
  cucore_buffer_release(whole);
  cucore_device_release(device);
}

// y = a y + y reads each sector once, which is 64 MiB, and y = a x + y reads 128 MiB. If x begins
// one element later, the last element of x is in one sector more.
TEST_F(LaunchModel, ReadsAnArrayThatIsGivenTwiceOnce) {
  constexpr uint32_t N = 1 << 24;
  constexpr size_t SIZE = size_t{N} * 4;
  cucore_device* device = nullptr;
  ASSERT_EQ(cucore_device_open(0, &device, nullptr), CUCORE_OK);
  cucore_buffer *y = nullptr, *next = nullptr, *behind = nullptr;
  constexpr uint64_t ADDRESS = uint64_t{1} << 40;
  ASSERT_EQ(cucore_buffer_from_native(device, ADDRESS, SIZE, &y, nullptr), CUCORE_OK);
  ASSERT_EQ(cucore_buffer_from_native(device, ADDRESS + 4, SIZE, &next, nullptr), CUCORE_OK);
  ASSERT_EQ(cucore_buffer_from_native(device, ADDRESS + SIZE, SIZE, &behind, nullptr), CUCORE_OK);
  open(SAXPY);
  const auto read = [&](const cucore_buffer* x) {
    const auto arguments = std::move(Arguments().value(2.0f).buffer(x).buffer(y).value(N));
    EXPECT_EQ(model("saxpy", launch_of(N / 256, 256), arguments), CUCORE_OK) << message;
    EXPECT_EQ(info.compulsory_written, 64 * MIB);
    return info.compulsory_read;
  };
  EXPECT_EQ(read(y), 64 * MIB);
  EXPECT_EQ(read(next), 64 * MIB + 32);
  EXPECT_EQ(read(behind), 128 * MIB);
  for (cucore_buffer* const each : {y, next, behind}) cucore_buffer_release(each);
  cucore_device_release(device);
}

TEST_F(LaunchModel, RunsInSeveralThreads) {
  open(SAXPY);
  std::vector<std::thread> threads;
  std::array<double, 4> read{};
  for (size_t at = 0; at < read.size(); ++at)
    threads.emplace_back([&, at] {
      const auto count = uint32_t(100000 * (at + 1));
      const Arguments arguments = std::move(Arguments().value(2.0f).buffer().buffer().value(count));
      const auto launch = launch_of(2000, 256);
      cucore_model_info own = CUCORE_MODEL_INFO_INIT;
      EXPECT_EQ(cucore_analysis_model(analysis.get(), 0, &launch, arguments.list.data(), 4, &own,
                                      nullptr),
                CUCORE_OK);
      read[at] = own.blocks_run == 64 ? own.blocks_run : 0;
    });
  for (std::thread& thread : threads) thread.join();
  for (const double each : read) EXPECT_EQ(each, 64);
}

std::string image(const std::string& name) {
  std::ifstream file(IMAGES "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The status of a model of the first kernel of machine code.
cucore_status model_machine_code(const std::string& bytes, cucore_code_type type) {
  cucore_objectcode* code = nullptr;
  EXPECT_EQ(cucore_objectcode_create(type, bytes.data(), bytes.size(), nullptr, &code, nullptr),
            CUCORE_OK);
  cucore_analysis* analysis = nullptr;
  EXPECT_EQ(cucore_analysis_create(code, nullptr, &analysis, nullptr), CUCORE_OK);
  cucore_objectcode_release(code);
  size_t kernel = 0;
  cucore_analysis_info info = CUCORE_ANALYSIS_INFO_INIT;
  while (cucore_analysis_kernel_at(analysis, kernel, &info, nullptr) == CUCORE_OK &&
         info.level != CUCORE_CODE_LEVEL_MACHINE)
    ++kernel;
  EXPECT_EQ(info.level, CUCORE_CODE_LEVEL_MACHINE);
  const auto launch = launch_of(1, 64);
  cucore_model_info model = CUCORE_MODEL_INFO_INIT;
  const cucore_status status =
      cucore_analysis_model(analysis, kernel, &launch, nullptr, 0, &model, nullptr);
  cucore_analysis_release(analysis);
  return status;
}

TEST(ModelOfMachineCode, NeedsPtx) {
  EXPECT_EQ(model_machine_code(image("saxpy_sm90.cubin"), CUCORE_CODE_TYPE_CUBIN),
            CUCORE_ERROR_NOT_FOUND);
}

// The fat binary also has PTX, so that the missing arguments are refused.
TEST(ModelOfMachineCode, TakesThePtxOfAnotherImage) {
  EXPECT_EQ(model_machine_code(image("saxpy_zstd.fatbin"), CUCORE_CODE_TYPE_FATBIN),
            CUCORE_ERROR_INVALID_ARGUMENT);
}

// Runs in a process of its own, with CUCORE_CPU set to a file that does not exist.
class MissingDevice : public LaunchModel {};

TEST_F(MissingDevice, IsReportedWithThePaths) {
  const char* const path = std::getenv("CUCORE_CPU");
  if (!path) GTEST_SKIP() << "CUCORE_CPU is not set";
  open(OTHERS);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(model("products", launch_of(1, 32), {}), CUCORE_ERROR_LIBRARY_MISSING);
    EXPECT_NE(message.find(path), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace cucore::perf::test
