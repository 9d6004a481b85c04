// SPDX-License-Identifier: Apache-2.0
// Work of two streams that uses the same bytes is reported unless events or waits order it.
#include <cstring>
#include <memory>
#include <thread>

#include "check_device.hpp"

namespace cucore::cpu::kernels {
namespace {

constexpr const char* STREAM_KERNELS = R"cuda(
extern "C" __global__ void fill(int* a, int n) { a[threadIdx.x] = n; }
extern "C" __global__ void sum(const int* a, int* b) { b[threadIdx.x] = a[threadIdx.x] + 1; }
extern "C" __global__ void add(int* a) { a[threadIdx.x] += 1; }
extern "C" __global__ void add_back(int* a) { a[blockDim.x - 1 - threadIdx.x] += 1; }
extern "C" __global__ void twice(const int* a, int* b) { b[threadIdx.x] = a[threadIdx.x] * 2; }
extern "C" __global__ void total(const int* a, int* b, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  b[threadIdx.x + blockDim.x * blockIdx.x] = sum;
}
extern "C" __global__ void finish(volatile int* flag, int number) { *flag = number; }
)cuda";
constexpr unsigned FILL_LINE = 2, SUM_LINE = 3, ADD_LINE = 4, TWICE_LINE = 6, TOTAL_LINE = 10;
constexpr size_t BYTES = 256;

class StreamChecks : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
    if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
    program_ = std::make_unique<Program>(STREAM_KERNELS,
                                         std::vector<std::string>{"-arch=compute_90", "-lineinfo"});
    checking_ = std::make_unique<Checking>("all");
    for (CUdeviceptr& memory : memory_) check(calls().cuMemAlloc(&memory, BYTES), "cuMemAlloc");
    for (CUstream& stream : streams_)
      check(calls().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(calls().cuEventCreate(&event_, 0), "cuEventCreate");
  }
  void TearDown() override {
    if (!checking_) return;
    for (const CUstream stream : streams_) calls().cuStreamDestroy(stream);
    calls().cuEventDestroy(event_);
    for (const CUdeviceptr memory : memory_) calls().cuMemFree(memory);
  }
  void fill(CUstream stream, CUdeviceptr to) {
    int n = 7;
    void* parameters[] = {&to, &n};
    launch("fill", stream, parameters);
  }
  void sum(CUstream stream, CUdeviceptr from, CUdeviceptr to) {
    void* parameters[] = {&from, &to};
    launch("sum", stream, parameters);
  }
  void launch(const char* kernel, CUstream stream, void** parameters) {
    check(calls().cuLaunchKernel(program_->function(kernel), 1, 1, 1, 64, 1, 1, 0, stream,
                                 parameters, nullptr),
          "cuLaunchKernel");
  }
  // Waits for all work and returns the reports.
  static std::vector<FoundReport> reports() {
    check(calls().cuCtxSynchronize(), "cuCtxSynchronize");
    return take_reports();
  }
  // The order in which the work runs is the order of the calls, so that the result is certain.
  static void settle() {
    control()->set_checks("memory,init,race", 0);  // the check `host` must not see this wait
    check(calls().cuCtxSynchronize(), "cuCtxSynchronize");
    control()->set_checks("all", 0);
  }

  std::unique_ptr<Program> program_;
  std::unique_ptr<Checking> checking_;
  CUdeviceptr memory_[2] = {};
  CUstream streams_[2] = {};
  CUevent event_ = nullptr;
};

class HostMemory {
 public:
  HostMemory() {
    check(calls().cuMemHostAlloc(&p_, BYTES, CU_MEMHOSTALLOC_DEVICEMAP), "cuMemHostAlloc");
    std::memset(p_, 0, BYTES);
  }
  ~HostMemory() { calls().cuMemFreeHost(p_); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  void* host() const { return p_; }
  CUdeviceptr device() const {
    CUdeviceptr address = 0;
    check(calls().cuMemHostGetDevicePointer(&address, p_, 0), "cuMemHostGetDevicePointer");
    return address;
  }

 private:
  void* p_ = nullptr;
};

void expect_race(const std::vector<FoundReport>& reports, const std::string& part) {
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, "stream-race");
  EXPECT_NE(reports[0].text.find(part), std::string::npos) << reports[0].text;
}

TEST_F(StreamChecks, KernelsWithoutAnOrder) {
  fill(streams_[0], memory_[0]);
  settle();
  sum(streams_[1], memory_[0], memory_[1]);
  const auto found = reports();
  expect_race(found, "kernel 'fill'");
  EXPECT_EQ(found[0].line, 3u);
  EXPECT_EQ(found[0].other_line, 2u);
}

TEST_F(StreamChecks, EventsOrderKernels) {
  fill(streams_[0], memory_[0]);
  check(calls().cuEventRecord(event_, streams_[0]), "cuEventRecord");
  check(calls().cuStreamWaitEvent(streams_[1], event_, 0), "cuStreamWaitEvent");
  settle();
  sum(streams_[1], memory_[0], memory_[1]);
  EXPECT_TRUE(reports().empty());
}

TEST_F(StreamChecks, EventBeforeTheWorkOrdersNothing) {
  check(calls().cuEventRecord(event_, streams_[0]), "cuEventRecord");
  fill(streams_[0], memory_[0]);
  check(calls().cuStreamWaitEvent(streams_[1], event_, 0), "cuStreamWaitEvent");
  settle();
  sum(streams_[1], memory_[0], memory_[1]);
  expect_race(reports(), "kernel 'fill'");
}

TEST_F(StreamChecks, WaitsOrderKernels) {
  fill(streams_[0], memory_[0]);
  check(calls().cuStreamSynchronize(streams_[0]), "cuStreamSynchronize");
  sum(streams_[1], memory_[0], memory_[1]);
  EXPECT_TRUE(reports().empty());
}

TEST_F(StreamChecks, CopiesWithoutAnOrder) {
  int host[64] = {};
  fill(streams_[0], memory_[0]);
  settle();
  check(calls().cuMemcpyDtoHAsync(host, memory_[0], BYTES, streams_[1]), "cuMemcpyDtoHAsync");
  expect_race(reports(), "of cuMemcpyDtoHAsync_v2: reads memory");
}

// The copy is the first writer, or the first reader, of the memory.
TEST_F(StreamChecks, KernelReadsWhatACopyWrites) {
  int host[64] = {};
  check(calls().cuMemcpyHtoDAsync(memory_[0], host, BYTES, streams_[0]), "cuMemcpyHtoDAsync");
  settle();
  sum(streams_[1], memory_[0], memory_[1]);
  expect_race(reports(), "cuMemcpyHtoDAsync");
}

TEST_F(StreamChecks, KernelWritesWhatACopyReads) {
  const HostMemory pinned;
  check(calls().cuMemcpyHtoDAsync(memory_[0], pinned.host(), BYTES, streams_[0]),
        "cuMemcpyHtoDAsync");
  settle();
  fill(streams_[1], pinned.device());
  expect_race(reports(), "cuMemcpyHtoDAsync");
}

TEST_F(StreamChecks, KernelWritesWhatAnotherHasRead) {
  int host[64] = {};
  check(calls().cuMemcpyHtoD(memory_[0], host, BYTES), "cuMemcpyHtoD");
  sum(streams_[0], memory_[0], memory_[1]);
  settle();
  fill(streams_[1], memory_[0]);
  expect_race(reports(), "kernel 'sum'");
}

// One operation initialises all of the memory, and a copy takes that back for a part.
TEST_F(StreamChecks, CopyOfUninitialisedBytes) {
  CUdeviceptr fresh = 0;
  check(calls().cuMemAlloc(&fresh, BYTES), "cuMemAlloc");
  int host[64] = {};
  check(calls().cuMemcpyHtoD(memory_[0], host, BYTES), "cuMemcpyHtoD");
  sum(streams_[0], memory_[0], memory_[1]);
  EXPECT_TRUE(reports().empty());
  check(calls().cuMemcpyDtoD(memory_[0] + BYTES / 2, fresh, 8), "cuMemcpyDtoD");
  check(calls().cuCtxSynchronize(), "cuCtxSynchronize");
  sum(streams_[0], memory_[0], memory_[1]);
  const auto found = reports();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "uninitialised");
  EXPECT_NE(found[0].text.find("thread (32,0,0)"), std::string::npos) << found[0].text;
  calls().cuMemFree(fresh);
}

TEST_F(StreamChecks, DefaultStreamDoesNotOrderNonBlockingStreams) {
  fill(streams_[0], memory_[0]);
  settle();
  check(calls().cuMemsetD32Async(memory_[0], 1, 64, nullptr), "cuMemsetD32Async");
  expect_race(reports(), "writes memory");
}

TEST_F(StreamChecks, DefaultStreamOrdersBlockingStreams) {
  CUstream stream = nullptr;
  check(calls().cuStreamCreate(&stream, 0), "cuStreamCreate");
  fill(stream, memory_[0]);
  settle();
  check(calls().cuMemsetD32Async(memory_[0], 1, 64, nullptr), "cuMemsetD32Async");
  EXPECT_TRUE(reports().empty());
  calls().cuStreamDestroy(stream);
}

TEST_F(StreamChecks, FreeDuringUse) {
  CUdeviceptr memory = 0;
  check(calls().cuMemAllocAsync(&memory, BYTES, streams_[0]), "cuMemAllocAsync");
  fill(streams_[0], memory);
  settle();
  check(calls().cuMemFreeAsync(memory, streams_[1]), "cuMemFreeAsync");
  expect_race(reports(), "frees memory");
}

TEST_F(StreamChecks, DifferentBytesOfOneAllocation) {
  CUdeviceptr memory = 0;
  check(calls().cuMemAlloc(&memory, 2 * BYTES), "cuMemAlloc");
  fill(streams_[0], memory);
  settle();
  fill(streams_[1], memory + BYTES);
  EXPECT_TRUE(reports().empty());
  calls().cuMemFree(memory);
}

// ---- memory of the host that kernels use. The device sees the calls, not the host's own accesses.

TEST_F(StreamChecks, HostCopyFromPinnedMemoryThatAKernelWrites) {
  const HostMemory pinned;
  fill(streams_[0], pinned.device());
  settle();
  check(calls().cuMemcpyHtoD(memory_[1], pinned.host(), BYTES), "cuMemcpyHtoD");
  const auto found = reports();
  expect_race(found, "kernel 'fill'");
  EXPECT_EQ(found[0].other_line, 2u) << found[0].text;
}

TEST_F(StreamChecks, HostCopyAfterAWait) {
  const HostMemory pinned;
  fill(streams_[0], pinned.device());
  check(calls().cuStreamSynchronize(streams_[0]), "cuStreamSynchronize");
  check(calls().cuMemcpyHtoD(memory_[1], pinned.host(), BYTES), "cuMemcpyHtoD");
  EXPECT_TRUE(reports().empty());
}

TEST_F(StreamChecks, HostCopyAfterAnEvent) {
  const HostMemory pinned;
  fill(streams_[0], pinned.device());
  check(calls().cuEventRecord(event_, streams_[0]), "cuEventRecord");
  check(calls().cuEventSynchronize(event_), "cuEventSynchronize");
  check(calls().cuMemcpyHtoD(memory_[1], pinned.host(), BYTES), "cuMemcpyHtoD");
  EXPECT_TRUE(reports().empty());
}

TEST_F(StreamChecks, HostCopyToPinnedMemoryThatAKernelReads) {
  const HostMemory pinned;
  fill(streams_[1], memory_[1]);
  check(calls().cuStreamSynchronize(streams_[1]), "cuStreamSynchronize");
  sum(streams_[0], pinned.device(), memory_[0]);
  settle();
  check(calls().cuMemcpyDtoH(pinned.host(), memory_[1], BYTES), "cuMemcpyDtoH");
  const auto found = reports();
  expect_race(found, "kernel 'sum'");
  EXPECT_EQ(found[0].other_line, 3u) << found[0].text;
}

TEST_F(StreamChecks, HostCopyOfManagedMemoryThatAKernelWrites) {
  CUdeviceptr managed = 0;
  check(calls().cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged");
  int host[64] = {};
  fill(streams_[0], managed);
  settle();
  check(calls().cuMemcpyDtoH(host, managed, BYTES), "cuMemcpyDtoH");
  expect_race(reports(), "kernel 'fill'");
  fill(streams_[0], managed);
  check(calls().cuStreamSynchronize(streams_[0]), "cuStreamSynchronize");
  check(calls().cuMemcpyDtoH(host, managed, BYTES), "cuMemcpyDtoH");
  EXPECT_TRUE(reports().empty());
  calls().cuMemFree(managed);
}

// ---- kernels that read what they write, and several readers

struct InPlaceCase {
  const char* checks;
  const char* kernel;
};
void PrintTo(const InPlaceCase& c, std::ostream* out) { *out << c.kernel << " with " << c.checks; }

// The two streams and the checks of a case. `memory(k)` is initialised.
class InPlaceChecks : public StreamChecks, public testing::WithParamInterface<InPlaceCase> {
 protected:
  void SetUp() override {
    StreamChecks::SetUp();
    if (IsSkipped()) return;
    control()->set_checks(GetParam().checks, 0);
    flag_ = std::make_unique<HostMemory>();
    check(calls().cuStreamCreate(&third_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    for (CUdeviceptr& memory : more_) check(calls().cuMemAlloc(&memory, BYTES), "cuMemAlloc");
    for (int k = 0; k < 4; ++k)
      check(calls().cuMemsetD32Async(memory(k), 1, 64, nullptr), "cuMemsetD32Async");
    check(calls().cuCtxSynchronize(), "cuCtxSynchronize");
  }
  void TearDown() override {
    if (third_) {
      for (const CUdeviceptr memory : more_) calls().cuMemFree(memory);
      calls().cuStreamDestroy(third_);
    }
    StreamChecks::TearDown();
  }
  CUdeviceptr memory(int k) const { return k < 2 ? memory_[k] : more_[k - 2]; }
  CUstream stream(int k) const { return k < 2 ? streams_[k] : third_; }

  void in_place(int k) {
    CUdeviceptr to = memory(0);
    void* parameters[] = {&to};
    launch(GetParam().kernel, stream(k), parameters);
    finish(k);
  }
  // A kernel that reads memory(0). Its results are in a memory of its own.
  void read(int k, const char* kernel) {
    CUdeviceptr from = memory(0), to = memory(k + 1);
    void* parameters[] = {&from, &to};
    launch(kernel, stream(k), parameters);
    finish(k);
  }
  // All threads of several blocks read all of memory(0), and write to memory(1).
  void read_all(int k, CUdeviceptr to) {
    CUdeviceptr from = memory(0);
    int n = 64;
    void* parameters[] = {&from, &to, &n};
    check(calls().cuLaunchKernel(program_->function("total"), 2, 1, 1, 32, 1, 1, 0, stream(k),
                                 parameters, nullptr),
          "cuLaunchKernel");
    finish(k);
  }
  void write(int k) {
    fill(stream(k), memory(0));
    finish(k);
  }
  void copy(int k) {
    check(calls().cuMemcpyDtoDAsync(memory(k + 1), memory(0), BYTES, stream(k)),
          "cuMemcpyDtoDAsync");
    finish(k);
  }
  void set(int k) {
    check(calls().cuMemsetD32Async(memory(0), 1, 64, stream(k)), "cuMemsetD32Async");
    finish(k);
  }
  // Work of stream `k` follows that of the other one.
  void order(int k, int other) {
    check(calls().cuEventRecord(event_, stream(other)), "cuEventRecord");
    check(calls().cuStreamWaitEvent(stream(k), event_, 0), "cuStreamWaitEvent");
  }
  // Waits for the work of a stream. No call orders it for the program.
  void finish(int k) {
    CUdeviceptr to = flag_->device();
    int number = ++finished_;
    void* parameters[] = {&to, &number};
    launch("finish", stream(k), parameters);
    const auto* const flag = static_cast<int*>(flag_->host());
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != number) std::this_thread::yield();
  }
  unsigned in_place_line() const {
    return ADD_LINE + unsigned{std::string(GetParam().kernel) == "add_back"};
  }
  std::string in_place_name() const { return "kernel '" + std::string(GetParam().kernel) + "'"; }
  // The work may have several reports. All of them are of this kind, and have these places.
  static void expect_races(const std::string& other, unsigned line, unsigned other_line) {
    const auto found = reports();
    EXPECT_FALSE(found.empty());
    for (const FoundReport& report : found) {
      EXPECT_EQ(report.kind, "stream-race") << report.text;
      EXPECT_NE(report.text.find(other), std::string::npos) << report.text;
      EXPECT_EQ(report.line, line) << report.text;
      EXPECT_EQ(report.other_line, other_line) << report.text;
    }
  }

 private:
  CUstream third_ = nullptr;
  std::unique_ptr<HostMemory> flag_;
  int finished_ = 0;
  CUdeviceptr more_[2] = {};
};

TEST_P(InPlaceChecks, AfterACopy) {
  copy(1);
  in_place(0);
  expect_races("cuMemcpyDtoDAsync", in_place_line(), 0);
  copy(1);
  order(0, 1);
  in_place(0);
  EXPECT_TRUE(reports().empty());
}

TEST_P(InPlaceChecks, BeforeACopy) {
  in_place(0);
  copy(1);
  expect_races(in_place_name(), 0, in_place_line());
  in_place(0);
  order(1, 0);
  copy(1);
  EXPECT_TRUE(reports().empty());
}

TEST_P(InPlaceChecks, AfterAReader) {
  read(1, "sum");
  in_place(0);
  expect_races("kernel 'sum'", in_place_line(), SUM_LINE);
  read(1, "sum");
  order(0, 1);
  in_place(0);
  EXPECT_TRUE(reports().empty());
}

TEST_P(InPlaceChecks, BeforeAReader) {
  in_place(0);
  read(1, "sum");
  expect_races(in_place_name(), SUM_LINE, in_place_line());
  in_place(0);
  order(1, 0);
  read(1, "sum");
  EXPECT_TRUE(reports().empty());
}

TEST_P(InPlaceChecks, AfterAnother) {
  in_place(1);
  in_place(0);
  expect_races(in_place_name(), in_place_line(), in_place_line());
  in_place(1);
  order(0, 1);
  in_place(0);
  EXPECT_TRUE(reports().empty());
}

// The first reader has no order with the kernel, and the second one has.
TEST_P(InPlaceChecks, AfterTheFirstOfTwoReaders) {
  read(1, "sum");
  read(0, "twice");
  in_place(0);
  expect_races("kernel 'sum'", in_place_line(), SUM_LINE);
  read(1, "sum");
  read(0, "twice");
  order(0, 1);
  in_place(0);
  EXPECT_TRUE(reports().empty());
}

TEST_P(InPlaceChecks, AfterTheSecondOfTwoReaders) {
  read(0, "sum");
  read(1, "twice");
  in_place(0);
  expect_races("kernel 'twice'", in_place_line(), TWICE_LINE);
  read(0, "sum");
  read(1, "twice");
  order(0, 1);
  in_place(0);
  EXPECT_TRUE(reports().empty());
}

TEST_P(InPlaceChecks, AfterTheSecondOfThreeReaders) {
  read(0, "sum");
  read(1, "twice");
  read(2, "sum");
  order(0, 2);
  in_place(0);
  expect_races("kernel 'twice'", in_place_line(), TWICE_LINE);
  read(0, "sum");
  read(1, "twice");
  read(2, "sum");
  order(0, 2);
  order(0, 1);
  in_place(0);
  EXPECT_TRUE(reports().empty());
}

// Many threads read a cell after the other stream. They keep the record of both.
TEST_P(InPlaceChecks, WriterAfterReadersOfSeveralBlocks) {
  read(1, "sum");
  read_all(0, memory(1));
  write(0);
  expect_races("kernel 'sum'", FILL_LINE, SUM_LINE);
  read_all(1, memory(2));
  read_all(0, memory(1));
  in_place(0);
  expect_races("kernel 'total'", in_place_line(), TOTAL_LINE);
  read_all(1, memory(2));
  read_all(0, memory(1));
  order(0, 1);
  in_place(0);
  EXPECT_TRUE(reports().empty());
}

// The reader of the same stream is ordered, and the other one is not.
TEST_P(InPlaceChecks, FillAfterTwoReaders) {
  read(1, "twice");
  read(0, "sum");
  set(0);
  expect_races("kernel 'twice'", 0, TWICE_LINE);
  read(1, "twice");
  copy(0);
  set(0);
  expect_races("kernel 'twice'", 0, TWICE_LINE);
  read(1, "twice");
  read(0, "sum");
  order(0, 1);
  set(0);
  EXPECT_TRUE(reports().empty());
}

constexpr InPlaceCase IN_PLACE[] = {
    {"all", "add"}, {"all", "add_back"}, {"host", "add"}, {"host", "add_back"}};
INSTANTIATE_TEST_SUITE_P(Cases, InPlaceChecks, testing::ValuesIn(IN_PLACE));

}  // namespace
}  // namespace cucore::cpu::kernels
