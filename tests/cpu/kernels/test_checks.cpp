// SPDX-License-Identifier: Apache-2.0
// Planted mistakes are reported with their kind and line, and their correct twins are not reported.
#include <algorithm>
#include <set>
#include <utility>

#include "check_device.hpp"

namespace cucore::cpu::kernels {
namespace {

struct Row {
  const char* name;
  const char* kind;  // "": correct
  unsigned grid, block;
  const char* body;  // '@' begins a line with the mistake
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

const std::vector<Row> ROWS = {
#define PLANTED(name, kind, grid, block, body) {#name, kind, grid, block, body},
#define SOUND(name, grid, block, body) {#name, "", grid, block, body},
#include "planted_bugs.inc"
#undef PLANTED
#undef SOUND
};

// Macros, so that the accesses are of the line of their use.
constexpr const char* HELPERS = R"cuda(
#define OFFSET(p) static_cast<unsigned>(__cvta_generic_to_shared(p))
#define copy_4(to, from)                                                                  \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group;" ::"r"(   \
                   OFFSET(to)), "l"(from) : "memory")
#define copies_left(n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")
// A bulk copy of 256 bytes that completes the mbarrier, and the wait for a phase of it.
#define bulk_init(barrier)                                                                \
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(OFFSET(barrier)) : "memory")
#define bulk_256(to, from, barrier)                                                       \
  asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%2], 256;"        \
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"        \
               " [%0], [%1], 256, [%2]; }" ::"r"(OFFSET(to)), "l"(from),                  \
               "r"(OFFSET(barrier)) : "memory")
#define bulk_wait(barrier, phase) [&] {                                                   \
    unsigned done = 0;                                                                    \
    while (!done)                                                                         \
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2;"     \
                   "selp.u32 %0, 1, 0, p; }"                                              \
                   : "=r"(done) : "r"(OFFSET(barrier)), "r"(phase) : "memory");           \
  }()
#define cluster_sync()                                                                    \
  asm volatile("barrier.cluster.arrive.release.aligned;"                                  \
               "barrier.cluster.wait.acquire.aligned;" ::: "memory")
#define cluster_read(p, rank) [&] {                                                       \
    int value;                                                                            \
    asm volatile("{ .reg .u32 m; mapa.shared::cluster.u32 m, %1, %2;"                     \
                 "ld.shared::cluster.u32 %0, [m]; }"                                      \
                 : "=r"(value) : "r"(OFFSET(p)), "r"(rank) : "memory");                   \
    return value;                                                                         \
  }()
#define cluster_write(p, rank, value)                                                     \
  asm volatile("{ .reg .u32 m; mapa.shared::cluster.u32 m, %0, %1;"                       \
               "st.shared::cluster.u32 [m], %2; }"                                        \
               ::"r"(OFFSET(p)), "r"(rank), "r"(value) : "memory")
#define cluster_add(p, rank, value)                                                       \
  asm volatile("{ .reg .u32 m; mapa.shared::cluster.u32 m, %0, %1;"                       \
               "red.relaxed.cluster.shared::cluster.add.u32 [m], %2; }"                   \
               ::"r"(OFFSET(p)), "r"(rank), "r"(value) : "memory")
#define product_setup()                                                                   \
  __shared__ __align__(128) unsigned m[(64 + 8) * 16 / 2];                                \
  float d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0};                                         \
  for (unsigned i = t; i < (64 + 8) * 16 / 2; i += 128) m[i] = 0x3c003c00;                \
  asm volatile("fence.proxy.async;" ::: "memory")
#define DESCRIPTOR(p) ((OFFSET(p) & 0x3ffffull) >> 4 | 8ull << 16 | 16ull << 32)
#define product(d)                                                                        \
  asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0;"                                     \
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3},"         \
               "%4, %5, p, 1, 1, 0, 0; }"                                                 \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                           \
               : "l"(DESCRIPTOR(m)), "l"(DESCRIPTOR(m + 64 * 16 / 2)))
#define product_fence() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define product_commit() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define products_left(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
)cuda";

// The kernels in two programs, so that the compiler runs twice. The shadow of the second one has
// cells of bytes.
class Table {
 public:
  Table();
  const Program& program(const Row& row) const { return *programs_[has_bytes(row)]; }
  bool is_mistake(const Row& row, unsigned line) const {
    return mistakes_.contains({row.name, line});
  }

 private:
  static bool has_bytes(const Row& row) {
    return std::string(row.body).find("char") != std::string::npos;
  }
  std::unique_ptr<Program> compile(bool bytes);
  std::set<std::pair<std::string, unsigned>> mistakes_;
  std::unique_ptr<Program> programs_[2];
};

Table::Table() {
  for (const bool bytes : {false, true}) programs_[bytes] = compile(bytes);
}

std::unique_ptr<Program> Table::compile(bool bytes) {
  std::string source = HELPERS;
  unsigned line = 1 + unsigned(std::count(source.begin(), source.end(), '\n'));
  for (const Row& row : ROWS) {
    if (has_bytes(row) != bytes) continue;
    const bool in_cluster = std::string(row.body).find("cluster_") != std::string::npos;
    std::string text = std::string("extern \"C\" __global__ ") +
                       (in_cluster ? "__cluster_dims__(2) void " : "void ") + row.name +
                       "(int* a, int* b, int n) { unsigned t = threadIdx.x;\n" + row.body + " }\n";
    bool begins = false;  // a line; elsewhere, '@' is a predicate of PTX
    for (char& c : text) {
      if (begins && c == '@') {
        mistakes_.insert({row.name, line});
        c = ' ';
      }
      begins = c == '\n';
      line += begins;
    }
    source += text;
  }
  return std::make_unique<Program>(
      source, std::vector<std::string>{"-arch=compute_90a", "-std=c++17", "-lineinfo"});
}

const Table& table() {
  static const Table* const instance = new Table;
  return *instance;
}

std::vector<FoundReport> run(const Row& row) {
  auto a = std::make_unique<Buffer<int>>(256, 1);
  const CUdeviceptr address = a->address();
  if (std::string(row.kind) == "use-after-free" &&
      std::string(row.body).find("malloc") == std::string::npos)
    a.reset();
  CUdeviceptr b = 0;
  check(calls().cuMemAlloc(&b, 1024), "cuMemAlloc");
  Shape shape{row.grid, row.block};
  if (std::string(row.body).find("extern __shared__") != std::string::npos)
    shape.shared = row.block * 4;
  table().program(row).run(row.name, shape, address, b, 256);
  calls().cuMemFree(b);
  return take_reports();
}

class Checks : public testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
    if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
    // Workers that access a line at the same instant can miss each other's record.
    control()->set_schedule("sequential");
  }
  void TearDown() override {
    if (explains_faults()) control()->set_schedule("parallel");
  }
};

// Runs the row with checks. Each report must be of the row's kind and of a line with the mistake.
// Returns whether there are any.
bool finds_row(const Row& row) {
  table();
  // A race may also read what the other thread has not written yet.
  const bool races = std::string(row.kind).ends_with("-race");
  const Checking checking(races ? "memory,race,barrier,host" : "all");
  const auto reports = run(row);
  for (const FoundReport& r : reports) {
    EXPECT_EQ(r.kind, row.kind) << r.text;
    EXPECT_TRUE(table().is_mistake(row, r.line) || table().is_mistake(row, r.other_line)) << r.text;
  }
  return !reports.empty();
}
bool is_planted(const Row& row) { return *row.kind != '\0'; }

TEST_P(Checks, FindMistakes) { EXPECT_EQ(finds_row(GetParam()), is_planted(GetParam())); }

// One order can hide a race: accesses of several warps share a record, which a barrier of a part of
// the warps may order.
TEST_P(Checks, FindMistakesInSomeRandomOrder) {
  const Row& row = GetParam();
  const unsigned most = is_planted(row) ? 20 : 3;
  bool found = false;
  for (unsigned seed = 1; seed <= most && !found; ++seed) {
    SCOPED_TRACE(seed);
    check(control()->set_schedule(("random:" + std::to_string(seed)).c_str()), "set_schedule");
    found = finds_row(row);
  }
  EXPECT_EQ(found, is_planted(row));
}

// One worker runs the warps of a block, so that only races between blocks can be missed. Two
// workers may access a line at the same instant.
TEST_P(Checks, FindMistakesOfBlocksInParallel) {
  const Row& row = GetParam();
  check(control()->set_schedule("parallel"), "set_schedule");
  const bool found = finds_row(row);
  const bool may_miss = row.grid > 1 && std::string(row.kind) == "global-race";
  if (!may_miss || !is_planted(row)) {
    EXPECT_EQ(found, is_planted(row));
  }
}

TEST_P(Checks, AreOffByDefault) {
  const Row& row = GetParam();
  if (std::string(row.kind).empty()) return;
  const std::string kind = row.kind;
  // A launch without checks ends at the first invalid access.
  if (kind == "out-of-bounds" || kind == "misaligned" || kind == "use-after-free") return;
  EXPECT_TRUE(run(row).empty());
}

INSTANTIATE_TEST_SUITE_P(Planted, Checks, testing::ValuesIn(ROWS),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(CheckTable, HasFortyMistakes) {
  const auto planted =
      std::count_if(ROWS.begin(), ROWS.end(), [](const Row& row) { return *row.kind != '\0'; });
  EXPECT_GE(planted, 40);
}

constexpr const char* FAULTS = R"cuda(
extern "C" __global__ void stuck(int* a) {
  if (threadIdx.x < 32) asm volatile("bar.sync 3, 96;");
  a[threadIdx.x] = 1;
}
extern "C" __global__ void fill(int* a, int n) { a[threadIdx.x * n] = 1; }
extern "C" __global__ void copy(int* a, const int* b) { a[threadIdx.x] = b[threadIdx.x]; }
extern "C" __global__ void join(int* a) {
  if (threadIdx.x >= 32) return;
  a[threadIdx.x] = 1;
  atomicAdd(a, 2);
}
#define SEPARATE() asm volatile("" ::: "memory")
extern "C" __global__ void increment(int* a, int* b, int step) {
  const int i = threadIdx.x * step;
  if (blockIdx.x == 0) {
    b[i] = a[i];  // first read
  } else {
    SEPARATE();
    const int own = a[i];
    a[i] = own + 1;  // write
  }
}
extern "C" __global__ void increment_after_volatile(int* a, int* b, int step) {
  const int i = threadIdx.x * step;
  if (blockIdx.x == 0) {
    b[i] = a[i];  // weak read
  } else {
    const int own = *(volatile int*)(a + i);
    a[i] = own + 1;  // write after it
  }
}
extern "C" __global__ void add_after_both(int* a, int* b, int step) {
  const int i = threadIdx.x * step;
  if (blockIdx.x == 0) b[i] = *(volatile int*)(a + i);
  SEPARATE();
  if (blockIdx.x == 1) b[i] = a[i];  // read that races
  SEPARATE();
  if (blockIdx.x == 2) atomicAdd(a + i, 1);  // atomic
}
extern "C" __global__ void shift(int* a, int* b, int step) {
  const int* p = a + threadIdx.x * step;
  if (blockIdx.x == 0) {
    b[threadIdx.x] = p[0] + p[1] + p[2];  // rows of the first block
  } else {
    SEPARATE();
    const int sum = p[0] + p[1] + p[2];
    a[threadIdx.x * step] = sum;  // word of a row
  }
}
)cuda";

class FaultReports : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
    if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
    program_ = std::make_unique<Program>(FAULTS,
                                         std::vector<std::string>{"-arch=compute_90", "-lineinfo"});
    check(calls().cuMemAlloc(&data_, 256), "cuMemAlloc");
  }
  void TearDown() override {
    if (explains_faults()) control()->set_schedule("parallel");
  }
  // Returns the driver's error; a fault has reset the context.
  template <class... A>
  std::string error_of(const char* kernel, const A&... arguments) {
    try {
      program_->run(kernel, {1, 64}, arguments...);
    } catch (const std::exception& error) {
      program_->forget();
      return error.what();
    }
    return "";
  }
  std::unique_ptr<Program> program_;
  CUdeviceptr data_ = 0;
};

TEST_F(FaultReports, DeadlockNamesWarpsAndLines) {
  const Checking checking("all");
  EXPECT_NE(error_of("stuck", data_).find("LAUNCH_TIMEOUT"), std::string::npos);
  const auto reports = take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, "deadlock");
  EXPECT_NE(reports[0].text.find("warp 0: 32 threads wait at"), std::string::npos);
  EXPECT_NE(reports[0].text.find("kernel.cu:3"), std::string::npos) << reports[0].text;
}

TEST_F(FaultReports, NamesAllocationAndFree) {
  const Checking checking("memory");
  check(calls().cuMemFree(data_), "cuMemFree");
  EXPECT_EQ(error_of("fill", data_, 1), "");
  const auto reports = take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, "use-after-free");
  EXPECT_EQ(reports[0].line, 6u);
  EXPECT_NE(reports[0].text.find("of cuMemAlloc"), std::string::npos) << reports[0].text;
  EXPECT_NE(reports[0].text.find("freed by call"), std::string::npos) << reports[0].text;
  EXPECT_NE(reports[0].text.find("64 times"), std::string::npos) << reports[0].text;
}

TEST_F(FaultReports, FindFreedAndNewMemoryAfterAnAccess) {
  const Checking checking("all");
  EXPECT_EQ(error_of("copy", data_, data_), "");
  EXPECT_EQ(take_reports().size(), 0u);
  check(calls().cuMemFree(data_), "cuMemFree");
  CUdeviceptr other = 0;
  check(calls().cuMemAlloc(&other, 256), "cuMemAlloc");
  EXPECT_EQ(error_of("copy", other, other), "");
  auto reports = take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, "uninitialised");
  EXPECT_EQ(error_of("copy", data_, other), "");
  calls().cuMemFree(other);
  reports = take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, "use-after-free");
  EXPECT_NE(reports[0].text.find("64 times"), std::string::npos) << reports[0].text;
}

// All lanes update the word that the first one has written: the race is one of the others.
TEST_F(FaultReports, NameTwoThreadsOfARace) {
  const Checking checking("race");
  EXPECT_EQ(error_of("join", data_), "");
  const auto reports = take_reports();
  ASSERT_EQ(reports.size(), 1u);
  const std::string& text = reports[0].text;
  EXPECT_NE(text.find("thread (1,0,0): updated"), std::string::npos) << text;
  EXPECT_NE(text.find("thread (0,0,0) wrote it"), std::string::npos) << text;
}

unsigned line_of(const char* comment) {
  const std::string text = FAULTS;
  const auto end = text.begin() + std::ptrdiff_t(text.find(comment));
  return 1 + unsigned(std::count(text.begin(), end, '\n'));
}

struct RaceOfBlocks {
  const char* kernel;
  unsigned blocks;
  const char *line, *other_line;
};

// A report about a word that several blocks have read names the first of them that races. Here it
// is not the one that writes. The words of the lanes are whole lines, other rows, and scattered; at
// last, all lanes use one word.
TEST_F(FaultReports, NameTheReadOfTheOtherBlock) {
  const RaceOfBlocks rows[] = {
      {"increment", 2, "// write\n", "// first read"},
      {"increment_after_volatile", 2, "// write after it", "// weak read"},
      {"add_after_both", 3, "// atomic", "// read that races"},
      {"shift", 2, "// word of a row", "// rows of the first block"},
  };
  const Checking checking("race");
  check(control()->set_schedule("sequential"), "set_schedule");
  for (const RaceOfBlocks& row : rows)
    for (const auto& [step, offset] : {std::pair{1, 0}, {1, 3}, {3, 0}, {5, 3}, {0, 0}}) {
      SCOPED_TRACE(testing::Message() << row.kernel << ' ' << step << ' ' << offset);
      const Buffer<int> a(256, 1), b(256);
      program_->run(row.kernel, {row.blocks, 32}, a.address() + 4 * offset, b, step);
      const auto reports = take_reports();
      EXPECT_FALSE(reports.empty());
      for (const FoundReport& report : reports) {
        // All lanes read the word that they write.
        if (step == 0 && report.line == report.other_line) continue;
        EXPECT_EQ(report.line, line_of(row.line)) << report.text;
        EXPECT_EQ(report.other_line, line_of(row.other_line)) << report.text;
      }
    }
}

// ptxas writes PTX without lines into a CUBIN with -lineinfo; the tables of the code have them.
constexpr const char* CODE_WITH_LINES = R"cuda(
__device__ __forceinline__ void store(int* a, int i) {
  a[i] = 1;
}
extern "C" __global__ void past(int* a, int n) {
  store(a, threadIdx.x);
  __syncthreads();
  store(a + n, threadIdx.x);
  if (n > 64)
    a[n + 96 + threadIdx.x] = n;
}
extern "C" __global__ void late(int* a, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s[63 - threadIdx.x];
}
)cuda";

TEST(MachineCode, ReportsNameSourceLines) {
  if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
  if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
  const Program program(CODE_WITH_LINES, {"-arch=sm_90", "-lineinfo"});
  const Buffer<int> a(64);
  {
    const Checking checking("memory");
    program.run("past", {1, 64}, a, 64);
    auto reports = take_reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].line, 3u) << reports[0].text;  // of the inlined function
    EXPECT_NE(reports[0].text.find("kernel.cu:3 (PTX line "), std::string::npos) << reports[0].text;
    program.run("past", {1, 64}, a, 100);
    reports = take_reports();
    ASSERT_EQ(reports.size(), 2u);
    EXPECT_EQ(std::max(reports[0].line, reports[1].line), 10u) << reports[1].text;
  }
  const Checking checking("race");
  program.run("late", {1, 64}, a, 0);
  const auto reports = take_reports();
  EXPECT_FALSE(reports.empty());
  for (const FoundReport& r : reports) EXPECT_EQ(r.line + r.other_line, 14u + 15u) << r.text;
}

TEST_F(FaultReports, EndTheLaunchOnDemand) {
  const Checking checking("");
  check(control()->set_checks("memory", 1), "set_checks");
  const std::string error = error_of("fill", data_, 2);
  control()->set_checks("", 0);
  EXPECT_NE(error.find("LAUNCH_FAILED"), std::string::npos) << error;
  EXPECT_NE(error.find("out-of-bounds"), std::string::npos) << error;
  EXPECT_EQ(take_reports().size(), 1u);
}

TEST(Control, RefusesUnknownChecks) {
  if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
  for (const char* list : {"races", "memory,", ",", "all,none", " all"})
    EXPECT_EQ(control()->set_checks(list, 0), CUDA_ERROR_INVALID_VALUE) << list;
  EXPECT_EQ(control()->set_checks(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(control()->set_checks("all", 2), CUDA_ERROR_INVALID_VALUE);
  for (const char* text : {"randomly", "random:", "random:x", "random:-1", "Parallel"})
    EXPECT_EQ(control()->set_schedule(text), CUDA_ERROR_INVALID_VALUE) << text;
}

}  // namespace
}  // namespace cucore::cpu::kernels
