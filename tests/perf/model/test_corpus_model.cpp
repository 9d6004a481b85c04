// SPDX-License-Identifier: Apache-2.0
// The model of each launch of the corpus, compared with the counts of the whole run.
#include <fstream>
#include <iterator>
#include <map>

#include "corpus_launch.hpp"

namespace cucore::perf::test {
namespace {

using cpu::corpus::Case;

constexpr double SECTOR = 32;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string line_of(const std::string& text, uint32_t number) {
  size_t at = 0;
  for (uint32_t i = 1; i < number; ++i) at = text.find('\n', at) + 1;
  const size_t first = text.find_first_not_of('\t', at);
  return text.substr(first, text.find('\n', at) - first);
}

// The first access or branch of each kernel that its arguments do not determine, and its line in
// the PTX of both targets.
struct Dependent {
  const char* instruction;
  uint32_t line;
  const char* reason;
};
const std::map<std::string, Dependent>& dependent_kernels() {
  constexpr const char* ADDRESS = "an address depends on a loaded value";
  constexpr const char* BRANCH = "a branch depends on a loaded value";
  constexpr const char* ROUNDED = "a branch depends on a rounded value";
  static const std::map<std::string, Dependent> all{
      {"09_hist_shared", {"atom.shared.add.u32 \t%r17, [%r16], 1;", 55, ADDRESS}},
      {"13_half", {"@%p2 bra \t$L__BB0_3;", 76, BRANCH}},
      {"15_mathf", {"@%p1 bra \t$L__BB0_8;", 53, BRANCH}},
      {"17_mathd", {"@%p2 bra \t$L__BB0_3;", 47, BRANCH}},
      {"18_int64", {"@%p1 bra \t$L__BB0_2;", 42, BRANCH}},
      {"25_cg_grid", {"@%p3 bra \t$L__BB0_5;", 0, BRANCH}},
      {"29_switch", {"@%p2 bra \t$L__BB0_10;", 45, BRANCH}},
      {"40_mandel", {"@%p7 bra \t$L__BB0_3;", 79, ROUNDED}},
      {"45_local_array", {"@%p1 bra \t$L__BB0_127;", 379, BRANCH}},
      {"48_divergent_loop", {"@%p2 bra \t$L__BB0_10;", 56, BRANCH}},
      {"63_cuda_std", {"@%p2 bra \t$L__BB0_13;", 83, BRANCH}},
  };
  return all;
}

// Compares each figure with the counts of a run of all blocks.
void expect_equal(const cucore_model_info& info, const cucore_cpu_trace_launch& run) {
  const cucore_cpu_counts& all = run.totals;
  const auto bytes = [](uint64_t sectors) { return double(sectors) * SECTOR; };
  EXPECT_EQ(info.requested_read, double(all.global_load.bytes + all.global_atomic.bytes));
  EXPECT_EQ(info.requested_written, double(all.global_store.bytes + all.global_atomic.bytes));
  EXPECT_EQ(info.sector_read, bytes(all.global_load.sectors + all.global_atomic.sectors));
  EXPECT_EQ(info.sector_written, bytes(all.global_store.sectors + all.global_atomic.sectors));
  EXPECT_EQ(info.compulsory_read, bytes(run.footprint_read));
  EXPECT_EQ(info.compulsory_written, bytes(run.footprint_written));
  EXPECT_EQ(info.operations_f16, double(all.operations[CUCORE_CPU_OPERATION_F16]));
  EXPECT_EQ(info.operations_f32, double(all.operations[CUCORE_CPU_OPERATION_F32]));
  EXPECT_EQ(info.operations_f64, double(all.operations[CUCORE_CPU_OPERATION_F64]));
  EXPECT_EQ(info.operations_integer, double(all.operations[CUCORE_CPU_OPERATION_INTEGER]));
  EXPECT_EQ(info.operations_matrix, double(all.operations[CUCORE_CPU_OPERATION_MATRIX]));
  EXPECT_EQ(info.warp_instructions, double(all.warp_instructions));
  EXPECT_EQ(info.thread_instructions, double(all.thread_instructions));
  EXPECT_EQ(info.divergent_branches, double(all.divergent_branches));
  EXPECT_EQ(info.barriers, double(all.barriers));
  EXPECT_EQ(info.shared_wavefronts,
            double(all.shared_load.wavefronts + all.shared_store.wavefronts +
                   all.shared_atomic.wavefronts));
  EXPECT_EQ(info.shared_bank_conflicts,
            double(all.shared_load.bank_conflicts + all.shared_store.bank_conflicts +
                   all.shared_atomic.bank_conflicts));
  EXPECT_EQ(info.local_bytes, bytes(all.local_load.sectors + all.local_store.sectors));
  EXPECT_EQ(info.blocks_run, run.blocks_run);
}

// The values of the run are not those of the model, so that its counts may be larger.
void expect_dependent(const cucore_model_info& info, const Dependent& expected,
                      const std::string& ptx) {
  EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_LOWER_BOUND);
  EXPECT_STREQ(info.reason, expected.reason);
  EXPECT_EQ(line_of(ptx, info.ptx_line), expected.instruction);
  if (expected.line != 0) {
    EXPECT_EQ(info.ptx_line, expected.line);
  }
}

class CorpusModel : public cutest::DeviceTest {
 protected:
  void compare(const Case& row, const std::string& ptx) {
    const AnalysisOwner analysis = analyse(ptx);
    CorpusLaunch launch(cu, row, ptx);
    cucore_model_info info = CUCORE_MODEL_INFO_INIT;
    std::string message;
    ASSERT_EQ(launch.model(analysis.get(), &info, &message), CUCORE_OK) << message;
    cucore_cpu_trace* const trace = launch.run();
    ASSERT_EQ(trace->launch_count, 1u);
    EXPECT_STREQ(trace->launches[0].fault, "");
    const auto found = dependent_kernels().find(row.file);
    if (found != dependent_kernels().end()) {
      expect_dependent(info, found->second, ptx);
      ++dependent;
    } else {
      expect_equal(info, trace->launches[0]);
      EXPECT_EQ(trace->launches[0].totals.other_accesses, 0u);
      EXPECT_EQ(info.quality, CUCORE_MODEL_QUALITY_EXACT) << info.reason;
      EXPECT_EQ(info.ptx_line, 0u);
      ++affine;
    }
    cu.control().trace_free(trace);
  }

  int affine = 0, dependent = 0;
};

TEST_F(CorpusModel, EqualsTheRunOrNamesTheReason) {
  for (const unsigned target : {75u, 90u})
    for (const Case& row : cpu::corpus::make_cases()) {
      if (row.min_target > target) continue;
      SCOPED_TRACE(row.file + " " + std::to_string(target) + " " + row.kernel + " " + row.name);
      compare(row, read_text(std::string(CUCORE_KERNELS "/") + row.file + "." +
                             std::to_string(target) + ".ptx"));
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(affine, 100);
  EXPECT_GT(dependent, 30);
}

}  // namespace
}  // namespace cucore::perf::test
