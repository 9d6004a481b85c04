// SPDX-License-Identifier: Apache-2.0
// Work of two streams that uses the same bytes is reported unless events or waits order it.
#include <cstring>

#include "check_device.hpp"

namespace cucore::cpu::kernels {
namespace {

constexpr const char* STREAM_KERNELS = R"cuda(
extern "C" __global__ void fill(int* a, int n) { a[threadIdx.x] = n; }
extern "C" __global__ void sum(const int* a, int* b) { b[threadIdx.x] = a[threadIdx.x] + 1; }
)cuda";
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

}  // namespace
}  // namespace cucore::cpu::kernels
