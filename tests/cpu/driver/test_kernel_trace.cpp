// SPDX-License-Identifier: Apache-2.0
// Traces of launches through the control table.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "driver.hpp"

extern "C" size_t size_of_trace_row_in_c(void);
extern "C" size_t size_of_control_in_c(void);

namespace cutest {
namespace {

struct FreeTrace {
  void operator()(cucore_cpu_trace* trace) const {
    DeviceTest::driver().control().trace_free(trace);
  }
};
using Trace = std::unique_ptr<cucore_cpu_trace, FreeTrace>;

// Kernels for blocks of 32 threads.
constexpr char TRACED[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<8>;
  .reg .b64 %a<8>;
  ld.param.u64 %a1, [from];
  ld.param.u64 %a2, [to];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 32, %r2;
  mul.wide.u32 %a3, %r3, 4;
  add.u64 %a4, %a1, %a3;
  add.u64 %a5, %a2, %a3;
  ld.global.u32 %r4, [%a4];
  atom.global.add.u32 %r5, [%a5], 1;
  or.b32 %r6, %r4, %r5;
  st.global.u32 [%a5], %r6;
  ret;
}
.visible .entry same(.param .u64 from)
{
  .reg .pred %q;
  .reg .b32 %r<4>;
  .reg .b64 %a<4>;
  mov.u32 %r3, 0;
  ld.param.u64 %a1, [from];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %a2, %r1, 4;
  add.u64 %a3, %a1, %a2;
again:
  ld.global.u32 %r2, [%a3];
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %q, %r3, 100;
  @%q bra again;
  ret;
}
.visible .entry wait(.param .u64 flag)
{
  .reg .pred %q;
  .reg .b32 %r<2>;
  .reg .b64 %a<2>;
  ld.param.u64 %a1, [flag];
again:
  ld.volatile.global.u32 %r1, [%a1];
  setp.eq.u32 %q, %r1, 0;
  @%q bra again;
  ret;
}
.visible .entry asynchronous(.param .u64 from)
{
  .reg .pred %q;
  .reg .b64 %a<2>;
  .shared .align 16 .b8 s[16];
  ld.param.u64 %a1, [from];
  .reg .b32 %r<4>;
  mov.u32 %r1, 7;
  st.shared.u32 [s+4], %r1;
  cp.async.ca.shared.global [s], [%a1], 16;
  cp.async.wait_all;
  ld.shared.u32 %r2, [s+4];
  setp.ne.u32 %q, %r2, 0;
  @%q trap;
  ret;
}
.visible .entry bulk(.param .u64 to)
{
  .reg .b64 %a<2>;
  .shared .align 16 .b8 s[16];
  ld.param.u64 %a1, [to];
  cp.async.bulk.global.shared::cta.bulk_group [%a1], [s], 16;
  ret;
}
.visible .entry texture(.param .u64 object)
{
  .reg .b64 %a<2>;
  .reg .b32 %r<4>;
  .reg .s32 %x;
  ld.param.u64 %a1, [object];
  mov.s32 %x, 0;
  tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%a1, {%x}];
  ret;
}
.visible .entry fetch(.param .u64 from)
{
  .reg .pred %q<3>;
  .reg .b64 %a<2>;
  .reg .b32 %r<4>;
  .shared .align 16 .b8 s[16];
  .shared .align 8 .b64 bar;
  ld.param.u64 %a1, [from];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %q1, %r1, 0;
  st.shared.u32 [s], 7;
  @%q1 mbarrier.init.shared.b64 [bar], 1;
  bar.sync 0;
  @%q1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
  @%q1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%a1], 16, [bar];
again:
  mbarrier.try_wait.parity.shared.b64 %q2, [bar], 0;
  @!%q2 bra again;
  ld.shared.u32 %r2, [s];
  setp.ne.u32 %q1, %r2, 0;
  @%q1 trap;
  ret;
}
)";

class KernelTrace : public DeviceTest {
 protected:
  Trace end() {
    cucore_cpu_trace* trace = nullptr;
    EXPECT_CU(0, control.trace_end(&trace));
    return Trace(trace);
  }
  void TearDown() override {
    cucore_cpu_trace* running = nullptr;
    control.trace_end(&running);
    control.trace_free(running);
    DeviceTest::TearDown();
  }

  // Traces a kernel of TRACED whose pointers are not valid.
  CUresult trace(const char* kernel, unsigned grid, const cucore_cpu_trace_options* options,
                 Trace& out) {
    cucore_cpu_trace_shape shape = {};
    shape.struct_size = sizeof shape;
    shape.grid[0] = grid;
    shape.grid[1] = shape.grid[2] = 1;
    shape.block[0] = 32;
    shape.block[1] = shape.block[2] = 1;
    uint64_t to = 0;
    void* params[] = {&from_, &to};
    cucore_cpu_trace* made = nullptr;
    const CUresult result =
        control.trace_launch(TRACED, std::strlen(TRACED), kernel, &shape, params, options, &made);
    out.reset(made);
    return result;
  }

  const cucore_cpu_control& control = cu.control();
  uint64_t from_ = 0x1000;
};

TEST_F(KernelTrace, HasTheSameLayoutInC) {
  EXPECT_EQ(size_of_trace_row_in_c(), sizeof(cucore_cpu_trace_row));
  EXPECT_EQ(size_of_control_in_c(), sizeof(cucore_cpu_control));
  EXPECT_EQ(control.size, sizeof(cucore_cpu_control));
}

TEST_F(KernelTrace, HasTheLaunchesBetweenBeginAndEnd) {
  CUdeviceptr p = 0;
  OK(cu.cuMemAlloc_v2(&p, 4096));
  unsigned value = 5, n = 100;
  OK(launch("fill", {&p, &value, &n}, 32, nullptr, 4));
  OK(control.trace_begin(nullptr));
  OK(launch("fill", {&p, &value, &n}, 32, nullptr, 4));
  OK(launch("increase", {&p, &value}));
  const Trace trace = end();
  OK(launch("fill", {&p, &value, &n}, 32, nullptr, 4));
  ASSERT_EQ(trace->launch_count, 2u);
  EXPECT_EQ(trace->struct_size, sizeof(cucore_cpu_trace));
  EXPECT_EQ(trace->launch_size, sizeof(cucore_cpu_trace_launch));
  EXPECT_EQ(trace->row_size, sizeof(cucore_cpu_trace_row));
  EXPECT_EQ(trace->counts_size, sizeof(cucore_cpu_counts));
  EXPECT_EQ(trace->traffic_size, sizeof(cucore_cpu_traffic));
  EXPECT_EQ(trace->dropped, 0u);
  const cucore_cpu_trace_launch& fill = trace->launches[0];
  EXPECT_STREQ(fill.kernel, "fill");
  EXPECT_STREQ(fill.fault, "");
  EXPECT_EQ(fill.grid[0], 4u);
  EXPECT_EQ(fill.blocks_run, 4u);
  // 100 threads store 4 bytes each: three warps of 4 sectors, and 4 threads of a fourth.
  EXPECT_EQ(fill.totals.global_store.requests, 4u);
  EXPECT_EQ(fill.totals.global_store.sectors, 13u);
  EXPECT_EQ(fill.totals.global_store.bytes, 400u);
  EXPECT_EQ(fill.totals.divergent_branches, 1u);
  EXPECT_EQ(fill.row_count, 13u);
  EXPECT_EQ(fill.has_footprint, 0u);
  EXPECT_EQ(fill.footprint_any, 0u);
  EXPECT_STREQ(trace->launches[1].kernel, "increase");
}

TEST_F(KernelTrace, CountsTheFootprintIfThatIsRequested) {
  CUdeviceptr p = 0;
  OK(cu.cuMemAlloc_v2(&p, 4096));
  unsigned value = 5, n = 64;
  cucore_cpu_trace_options options = {};
  options.struct_size = sizeof options;
  options.footprint = 1;
  OK(control.trace_begin(&options));
  OK(launch("fill", {&p, &value, &n}, 64));
  OK(launch("increase", {&p, &value}));
  const Trace trace = end();
  ASSERT_EQ(trace->launch_count, 2u);
  EXPECT_EQ(trace->launches[0].has_footprint, 1u);
  EXPECT_EQ(trace->launches[0].footprint_read, 0u);
  EXPECT_EQ(trace->launches[0].footprint_written, 8u);
  EXPECT_EQ(trace->launches[1].footprint_read, 1u);
  EXPECT_EQ(trace->launches[1].footprint_any, 1u);
}

TEST_F(KernelTrace, HasNoRowsIfThatIsRequested) {
  cucore_cpu_trace_options options = {};
  options.struct_size = sizeof options;
  Trace with, without;
  OK(trace("copy", 1, &options, with));
  options.totals_only = 1;
  OK(trace("copy", 1, &options, without));
  EXPECT_EQ(with->launches[0].row_count, 13u);
  EXPECT_EQ(without->launches[0].row_count, 0u);
  EXPECT_EQ(std::memcmp(&with->launches[0].totals, &without->launches[0].totals,
                        sizeof(cucore_cpu_counts)),
            0);
  options.totals_only = 2;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, control.trace_begin(&options));
}

TEST_F(KernelTrace, HasRowsOfTheFirstLaunchesOfEachKernel) {
  CUdeviceptr p = 0;
  OK(cu.cuMemAlloc_v2(&p, 4096));
  unsigned value = 5, n = 100;
  cucore_cpu_trace_options options = {};
  options.struct_size = sizeof options;
  options.row_launches = 2;
  OK(control.trace_begin(&options));
  for (int i = 0; i < 3; ++i) OK(launch("fill", {&p, &value, &n}, 32, nullptr, 4));
  OK(launch("increase", {&p, &value}));
  const Trace trace = end();
  ASSERT_EQ(trace->launch_count, 4u);
  EXPECT_EQ(trace->launches[0].row_count, 13u);
  EXPECT_EQ(trace->launches[1].row_count, 13u);
  EXPECT_EQ(trace->launches[2].row_count, 0u);
  EXPECT_NE(trace->launches[3].row_count, 0u) << "the first of another kernel";
  EXPECT_EQ(trace->launches[2].totals.global_store.bytes, 400u);
}

TEST_F(KernelTrace, HasTheTargetsOfBranches) {
  Trace made;
  OK(trace("same", 1, nullptr, made));
  const cucore_cpu_trace_launch& launch = made->launches[0];
  uint32_t load = 0, target = 0;
  for (size_t at = 0; at < launch.row_count; ++at) {
    const cucore_cpu_trace_row& row = launch.rows[at];
    if (row.instruction_class == CUCORE_CPU_CLASS_LOAD && row.counts.global_load.requests != 0)
      load = row.ptx_line;
    if (std::strstr(row.text, "bra"))
      target = row.target_line;
    else
      EXPECT_EQ(row.target_line, 0u) << row.text;
  }
  EXPECT_NE(load, 0u);
  EXPECT_EQ(target, load) << "the loop begins with the load";
}

TEST_F(KernelTrace, RunsOnceAtATime) {
  cucore_cpu_trace* trace = nullptr;
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, control.trace_end(&trace));
  EXPECT_EQ(trace, nullptr);
  OK(control.trace_begin(nullptr));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_STATE, control.trace_begin(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, control.trace_end(nullptr));
  OK(control.trace_end(&trace));  // the refused calls have not ended it
  EXPECT_EQ(trace->launch_count, 0u);
  control.trace_free(trace);
  control.trace_free(nullptr);
}

TEST_F(KernelTrace, ReadsOptionsOfOlderProgramsAndRefusesWrongOnes) {
  cucore_cpu_trace_options options = {};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, control.trace_begin(&options));  // no size
  options.struct_size = sizeof options;
  options.footprint = 2;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, control.trace_begin(&options));
  options.struct_size = offsetof(cucore_cpu_trace_options, max_launches);
  options.footprint = 0;
  options.max_launches = 1;  // behind the end
  OK(control.trace_begin(&options));
  unsigned value = 1, n = 0;
  CUdeviceptr p = 0;
  for (int i = 0; i < 3; ++i) OK(launch("fill", {&p, &value, &n}));
  EXPECT_EQ(end()->launch_count, 3u);
}

TEST_F(KernelTrace, RefusesHostFunctions) {
  OK(control.trace_begin(nullptr));
  struct Seen {
    const cucore_cpu_control* table;
    CUresult end = CUDA_SUCCESS;
  } seen{&control};
  OK(cu.cuLaunchHostFunc(
      nullptr,
      [](void* data) {
        auto& s = *static_cast<Seen*>(data);
        cucore_cpu_trace* trace = nullptr;
        s.end = s.table->trace_end(&trace);
      },
      &seen));
  OK(cu.cuCtxSynchronize());
  EXPECT_CU(CUDA_ERROR_NOT_PERMITTED, seen.end);
  EXPECT_EQ(end()->launch_count, 0u);
}

TEST_F(KernelTrace, KeepsItsTextsWhenTheModuleEnds) {
  CUmodule other = nullptr;
  CUfunction f = nullptr;
  OK(control.trace_begin(nullptr));
  OK(cu.cuModuleLoadData(&other, TRACED));
  OK(cu.cuModuleGetFunction(&f, other, "copy"));
  CUdeviceptr p = 0;
  OK(cu.cuMemAlloc_v2(&p, 4096));
  void* params[] = {&p, &p};
  OK(cu.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr));
  OK(cu.cuCtxSynchronize());
  OK(cu.cuModuleUnload(other));
  const Trace trace = end();
  ASSERT_EQ(trace->launch_count, 1u);
  EXPECT_STREQ(trace->launches[0].rows[0].text, "ld.param.u64 %a1, [from]");
  EXPECT_EQ(trace->launches[0].rows[0].ptx_line, 8u);
}

TEST_F(KernelTrace, LaunchesWithoutAContextOrMemory) {
  CUcontext popped = nullptr;
  OK(cu.cuCtxPopCurrent_v2(&popped));
  Trace traced;
  EXPECT_CU(0, trace("copy", 3, nullptr, traced));
  OK(cu.cuCtxPushCurrent_v2(popped));
  ASSERT_NE(traced, nullptr);
  const cucore_cpu_trace_launch& l = traced->launches[0];
  EXPECT_EQ(l.result, 0) << l.fault;
  EXPECT_EQ(l.blocks_run, 3u);
  EXPECT_EQ(l.totals.warp_instructions, 3u * 13);
  EXPECT_EQ(l.totals.global_load.sectors, 12u);
  EXPECT_EQ(l.totals.global_atomic.sectors, 12u);
  EXPECT_EQ(l.totals.global_store.bytes, 3u * 128);
}

TEST_F(KernelTrace, CountsAsTheRealLaunchDoes) {
  Trace ghost;
  OK(trace("copy", 5, nullptr, ghost));
  CUmodule other = nullptr;
  CUfunction f = nullptr;
  OK(cu.cuModuleLoadData(&other, TRACED));
  OK(cu.cuModuleGetFunction(&f, other, "copy"));
  CUdeviceptr p = 0;
  OK(cu.cuMemAlloc_v2(&p, 4096));
  void* params[] = {&p, &p};
  OK(control.trace_begin(nullptr));
  OK(cu.cuLaunchKernel(f, 5, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr));
  const Trace real = end();
  EXPECT_EQ(
      std::memcmp(&ghost->launches[0].totals, &real->launches[0].totals, sizeof(cucore_cpu_counts)),
      0);
}

TEST_F(KernelTrace, LaunchesASampleOfTheBlocks) {
  cucore_cpu_trace_options options = {};
  options.struct_size = sizeof options;
  options.max_blocks = 64;
  Trace traced;
  OK(trace("copy", 2000000000, &options, traced));
  EXPECT_EQ(traced->launches[0].blocks_run, 64u);
  EXPECT_EQ(traced->launches[0].grid[0], 2000000000u);
  EXPECT_EQ(traced->launches[0].totals.global_load.sectors, 64u * 4);
  options.max_blocks = 7;
  options.footprint = 1;
  OK(trace("copy", 10, &options, traced));
  // Blocks 0 and 9 are in the sample, and no block twice: each reads 4 sectors of its own.
  EXPECT_EQ(traced->launches[0].footprint_read, 7u * 4 + 7u * 4);
  OK(trace("copy", 5, &options, traced));
  EXPECT_EQ(traced->launches[0].blocks_run, 5u);
}

TEST_F(KernelTrace, DescribesTheRegionsOfAFootprint) {
  cucore_cpu_trace_options options = {};
  options.struct_size = sizeof options;
  options.footprint = 1;
  Trace traced;
  // From 0x1000 on, the kernel reads 384 bytes; the other array begins at 0.
  OK(trace("copy", 3, &options, traced));
  ASSERT_EQ(traced->region_size, sizeof(cucore_cpu_trace_region));
  ASSERT_EQ(traced->launches[0].region_count, 1u);
  const cucore_cpu_trace_region& region = traced->launches[0].regions[0];
  EXPECT_EQ(region.first, 0u);
  EXPECT_EQ(region.end, 0x1000u + 384);
  EXPECT_EQ(region.read, 24u);
  EXPECT_EQ(region.written, 12u);
  EXPECT_EQ(region.any, 24u);
  from_ = uint64_t{1} << 40;
  OK(trace("copy", 3, &options, traced));
  ASSERT_EQ(traced->launches[0].region_count, 2u);
  EXPECT_EQ(traced->launches[0].regions[1].first, from_);
  EXPECT_EQ(traced->launches[0].regions[1].read, 12u);
  EXPECT_EQ(traced->launches[0].regions[1].written, 0u);
  OK(trace("copy", 3, nullptr, traced));
  EXPECT_EQ(traced->launches[0].region_count, 0u);
}

TEST_F(KernelTrace, PassesAccessesThroughACache) {
  cucore_cpu_trace_options options = {};
  options.struct_size = sizeof options;
  options.cache_bytes = 1 << 20;
  Trace traced;
  OK(trace("copy", 3, &options, traced));
  EXPECT_EQ(traced->launches[0].cache_loads,
            24u);  // of both arrays: an atomic operation also reads
  EXPECT_EQ(traced->launches[0].cache_write_backs, 12u);
  // The sectors of a line that a warp reads a hundred times stay in the cache.
  OK(trace("same", 1, &options, traced));
  EXPECT_EQ(traced->launches[0].totals.global_load.sectors, 400u);
  EXPECT_EQ(traced->launches[0].cache_loads, 4u);
  EXPECT_EQ(traced->launches[0].cache_write_backs, 0u);
  // Two sectors cannot keep the four of a request.
  options.cache_bytes = 64;
  OK(trace("same", 1, &options, traced));
  EXPECT_EQ(traced->launches[0].cache_loads, 400u);
  OK(trace("same", 1, nullptr, traced));
  EXPECT_EQ(traced->launches[0].cache_loads, 0u);
}

TEST_F(KernelTrace, ReportsWhyAKernelFails) {
  cucore_cpu_trace_options options = {};
  options.struct_size = sizeof options;
  options.max_warp_instructions = 100000;
  Trace traced;
  OK(trace("wait", 1, &options, traced));  // memory reads zero, so that the loop has no end
  EXPECT_EQ(traced->launches[0].result, CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_NE(std::string(traced->launches[0].fault).find("100000"), std::string::npos);
  OK(trace("texture", 1, nullptr, traced));
  EXPECT_EQ(traced->launches[0].result, CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(std::string(traced->launches[0].fault).find("tex.1d"), std::string::npos);
}

TEST_F(KernelTrace, CopiesZerosFromMemoryThatDoesNotExist) {
  Trace traced;
  OK(trace("asynchronous", 1, nullptr, traced));
  EXPECT_EQ(traced->launches[0].result, 0) << traced->launches[0].fault;
  EXPECT_EQ(traced->launches[0].totals.global_load.bytes, 32u * 16);
  EXPECT_EQ(traced->launches[0].totals.other_accesses, 0u);
}

TEST_F(KernelTrace, CopiesInBulkWithoutMemory) {
  Trace traced;
  OK(trace("bulk", 1, nullptr, traced));
  EXPECT_EQ(traced->launches[0].result, 0) << traced->launches[0].fault;
  EXPECT_EQ(traced->launches[0].totals.global_store.bytes, 32u * 16);
  OK(trace("fetch", 1, nullptr, traced));  // traps unless the copy writes zeros
  EXPECT_EQ(traced->launches[0].result, 0) << traced->launches[0].fault;
  EXPECT_EQ(traced->launches[0].totals.global_load.bytes, 16u);
}

TEST_F(KernelTrace, RefusesWrongLaunches) {
  Trace traced;
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, trace("missing", 1, nullptr, traced));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, trace("copy", 0, nullptr, traced));
  EXPECT_EQ(traced, nullptr);
  cucore_cpu_trace_shape shape = {};
  shape.struct_size = sizeof shape;
  cucore_cpu_trace* made = nullptr;
  // Sizes whose product is small in 64 bits.
  shape.grid[0] = shape.grid[1] = shape.grid[2] = 0x80000000;
  shape.block[0] = shape.block[1] = shape.block[2] = 1;
  uint64_t pointer = 0;
  void* params[] = {&pointer, &pointer};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            control.trace_launch(TRACED, sizeof TRACED, "copy", &shape, params, nullptr, &made));
  shape.grid[0] = shape.grid[1] = shape.grid[2] = 1;
  shape.block[0] = shape.block[1] = 64;  // 4096 threads
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            control.trace_launch(TRACED, sizeof TRACED, "copy", &shape, params, nullptr, &made));
  shape.block[0] = 1, shape.block[1] = 1;
  const char wrong[] = ".version 8.0\n.target sm_75\n.entry k() { nonsense }\n";
  EXPECT_CU(CUDA_ERROR_INVALID_PTX,
            control.trace_launch(wrong, sizeof wrong, "k", &shape, nullptr, nullptr, &made));
  char log[256] = "";
  OK(control.last_load_log(log, sizeof log, nullptr));
  EXPECT_NE(std::string(log), "");
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            control.trace_launch(TRACED, sizeof TRACED, "copy", nullptr, nullptr, nullptr, &made));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            control.trace_launch(TRACED, sizeof TRACED, "copy", &shape, nullptr, nullptr, &made));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            control.trace_launch(nullptr, 0, "copy", &shape, nullptr, nullptr, &made));
}

TEST_F(KernelTrace, RefusesKernelsThatDriversDoNotFind) {
  const std::string text =
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k() { .reg .b32 %r; .reg "
      ".b64 "
      "%rd; .reg .pred %p; mov.u64 %rd, 0; setp.ne.u64 %p, %rd, 0; @!%p bra END;\n"
      "txq.array_size.b32 %r, [%rd];\nEND: ret; }\n";
  cucore_cpu_trace_shape shape = {};
  shape.struct_size = sizeof shape;
  for (int i = 0; i < 3; ++i) shape.grid[i] = shape.block[i] = 1;
  cucore_cpu_trace* made = nullptr;
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED,
            control.trace_launch(text.data(), text.size(), "k", &shape, nullptr, nullptr, &made));
  char log[512] = "";
  OK(control.last_load_log(log, sizeof log, nullptr));
  EXPECT_NE(std::string(log).find("'txq.array_size.b32 %r, [%rd]' at PTX line 5"),
            std::string::npos)
      << log;
}

TEST_F(KernelTrace, LaunchesPtxOfNewerTargets) {
  const std::string text =
      ".version 8.8\n.target sm_121\n.address_size 64\n.visible .entry k() { ret; }\n";
  cucore_cpu_trace_shape shape = {};
  shape.struct_size = sizeof shape;
  for (int i = 0; i < 3; ++i) shape.grid[i] = shape.block[i] = 1;
  cucore_cpu_trace* made = nullptr;
  OK(control.trace_launch(text.data(), text.size(), "k", &shape, nullptr, nullptr, &made));
  const Trace traced(made);
  EXPECT_EQ(traced->launches[0].totals.thread_instructions, 1u);
}

}  // namespace
}  // namespace cutest
