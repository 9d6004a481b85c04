// SPDX-License-Identifier: Apache-2.0
// The table of host_races.inc: races of the program itself with kernels on managed memory, and
// programs in which an order exists.
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>

#include "check_device.hpp"

namespace cucore::cpu::kernels {
namespace {

// The first line of the kernels is 1.
constexpr const char* HOST_KERNELS = R"cuda(#define PAGE 1024
extern "C" __global__ void fill(int* m) {
  m[threadIdx.x] = 7;
}
extern "C" __global__ void sum(int* m, int* o) {
  o[threadIdx.x] = m[threadIdx.x] + 1;
}
extern "C" __global__ void far(int* m) {
  m[PAGE + threadIdx.x] = 7;
}
__managed__ int variable[64]; extern "C" __global__ void fill_variable(int*) { variable[threadIdx.x] = 3; }
extern "C" __global__ void update(int* m) {
  m[threadIdx.x] += 1;
}
extern "C" __global__ void produce(int* m, volatile int* flag) {
  m[threadIdx.x] = 7;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}
extern "C" __global__ void consume(int* m, volatile int* flag) {
  if (threadIdx.x == 0) while (*flag == 0) {}
  __syncthreads();
  __threadfence_system();
  m[threadIdx.x] += 1;
}
extern "C" __global__ void relay(volatile int* to, volatile int* from) {
  if (threadIdx.x != 0) return;
  while (*from == 0) {}
  __threadfence_system();
  *to = 1;
}
extern "C" __global__ void late(int* m, volatile int* flag) {
  if (threadIdx.x == 0) while (*flag == 0) {}
  __syncthreads();
  __threadfence();
  m[threadIdx.x] += 1;
}
extern "C" __global__ void hold(volatile int* flag) { while (*flag == 0) {} }
extern "C" __global__ void fill_double(double* m) { m[threadIdx.x] = 7; }
)cuda";
constexpr size_t PAGE = 1024;  // ints

// A host function that waits for the program.
class Gate {
 public:
  ~Gate() { open(); }
  void pass() {
    std::unique_lock lock(mutex_);
    entered_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    passed_ = true;
    changed_.notify_all();
  }
  void await_entry() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return entered_; });
  }
  // Returns when no function uses the gate.
  void open() {
    std::unique_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return passed_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool entered_ = false, open_ = false, passed_ = false;
};

class HostRaces : public testing::Test {
 protected:
  static void TearDownTestSuite() { program_.reset(); }
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no NVRTC on this machine";
    if (!explains_faults()) GTEST_SKIP() << "not the CPU device";
    checking_ = std::make_unique<Checking>("all");
    if (!program_)
      program_ = std::make_unique<Program>(
          HOST_KERNELS, std::vector<std::string>{"-arch=compute_90", "-lineinfo"});
    check(calls().cuMemAllocManaged(&managed_, 2 * PAGE * sizeof(int), CU_MEM_ATTACH_GLOBAL),
          "cuMemAllocManaged");
    m = reinterpret_cast<int*>(managed_);
    check(calls().cuMemHostAlloc(&pinned_, sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP),
          "cuMemHostAlloc");
    std::memset(pinned_, 0, sizeof(int));
    check(calls().cuMemAlloc(&words_, 64 * sizeof(int)), "cuMemAlloc");
    check(calls().cuMemsetD32Async(words_, 0, 64, nullptr), "cuMemsetD32Async");
    check(calls().cuMemAlloc(&other_, 64 * sizeof(int)), "cuMemAlloc");
    for (CUstream* stream : {&A, &B})
      check(calls().cuStreamCreate(stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    check(calls().cuEventCreate(&event_, 0), "cuEventCreate");
    check(calls().cuCtxSynchronize(), "cuCtxSynchronize");
  }
  void TearDown() override {
    if (!checking_) return;
    for (const CUstream stream : {A, B}) calls().cuStreamDestroy(stream);
    calls().cuEventDestroy(event_);
    for (const CUdeviceptr memory : {managed_, words_, other_}) calls().cuMemFree(memory);
    calls().cuMemFreeHost(pinned_);
  }

  // ---- steps
  template <class... P>
  void launch(const char* kernel, CUstream stream, P... pointers) {
    CUdeviceptr values[] = {address_of(pointers)...};
    void* parameters[sizeof...(P)];
    for (size_t i = 0; i < sizeof...(P); ++i) parameters[i] = &values[i];
    check(calls().cuLaunchKernel(program_->function(kernel), 1, 1, 1, 64, 1, 1, 0, stream,
                                 parameters, nullptr),
          "cuLaunchKernel");
  }
  static CUdeviceptr address_of(CUdeviceptr address) { return address; }
  static CUdeviceptr address_of(const int* address) {
    return reinterpret_cast<CUdeviceptr>(address);
  }
  void launch_in_destroyed_stream(int* memory) {
    CUstream stream = nullptr;
    check(calls().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    launch("fill", stream, memory);
    settle();
    calls().cuStreamDestroy(stream);
    // The context forgets the stream.
    check(calls().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    calls().cuStreamDestroy(stream);
  }
  // Work has run, and the check `host` has seen no wait for it.
  static void settle() {
    control()->set_checks("memory,init,race", 0);
    check(calls().cuCtxSynchronize(), "cuCtxSynchronize");
    control()->set_checks("all", 0);
  }
  static int read(const int* place) { return *static_cast<const volatile int*>(place); }
  static void write(int* place, int value = 3) { *static_cast<volatile int*>(place) = value; }
  static void poll(const int* place) {
    while (__atomic_load_n(place, __ATOMIC_ACQUIRE) == 0) {
    }
  }
  static void raise_flag(int* place) { __atomic_store_n(place, 1, __ATOMIC_RELEASE); }
  static void wait(CUstream stream) {
    check(calls().cuStreamSynchronize(stream), "cuStreamSynchronize");
  }
  void record(CUstream stream) { check(calls().cuEventRecord(event_, stream), "cuEventRecord"); }
  void wait_event() { check(calls().cuEventSynchronize(event_), "cuEventSynchronize"); }
  void stream_waits(CUstream stream) {
    check(calls().cuStreamWaitEvent(stream, event_, 0), "cuStreamWaitEvent");
  }
  static void copy_out(const int* from) {
    int to[64];
    check(calls().cuMemcpyDtoH(to, address_of(from), sizeof to), "cuMemcpyDtoH");
  }
  // Later work of the stream does not run until release().
  void hold(CUstream stream) { launch("hold", stream, words_); }
  void release() { write_value(B, words_); }
  static void write_value(CUstream stream, CUdeviceptr place) {
    check(calls().cuStreamWriteValue32(stream, place, 1, 0), "cuStreamWriteValue32");
  }
  // The same as a node of a graph.
  void write_value_in_graph(CUstream stream, const int* place) {
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    CUgraphNode node = nullptr;
    CUstreamBatchMemOpParams write{};
    write.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, address_of(place), {1}, 0, 0};
    CUcontext context = nullptr;
    check(calls().cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    const CUDA_BATCH_MEM_OP_NODE_PARAMS work{context, 1, &write, 0};
    check(calls().cuGraphCreate(&graph, 0), "cuGraphCreate");
    check(calls().cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &work),
          "cuGraphAddBatchMemOpNode");
    check(calls().cuGraphInstantiateWithFlags(&executable, graph, 0), "cuGraphInstantiate");
    check(calls().cuGraphLaunch(executable, stream), "cuGraphLaunch");
    calls().cuGraphExecDestroy(executable);
    calls().cuGraphDestroy(graph);
  }
  static void write_value(CUstream stream, const int* place) {
    write_value(stream, address_of(place));
  }
  static void call(CUstream stream, Gate& gate) {
    const CUhostFn pass = [](void* data) { static_cast<Gate*>(data)->pass(); };
    check(calls().cuLaunchHostFunc(stream, pass, &gate), "cuLaunchHostFunc");
  }
  static void touch_in_stream(CUstream stream, int* place) {
    const CUhostFn touch = [](void* data) { write(static_cast<int*>(data) + 5); };
    check(calls().cuLaunchHostFunc(stream, touch, place), "cuLaunchHostFunc");
  }
  CUdeviceptr other() const { return other_; }
  CUdeviceptr device_flag() const { return words_ + sizeof(int); }
  int* flag() const { return static_cast<int*>(pinned_); }
  static int* variable() { return reinterpret_cast<int*>(program_->global("variable")); }

  // Waits for all work and returns the reports.
  static std::vector<FoundReport> reports() {
    check(calls().cuCtxSynchronize(), "cuCtxSynchronize");
    return take_reports();
  }
  static void expect_race(unsigned line, const std::string& kernel, const std::string& verb) {
    const auto found = reports();
    ASSERT_EQ(found.size(), 1u) << (found.empty() ? "" : found[1].text);
    EXPECT_EQ(found[0].kind, "host-race");
    EXPECT_EQ(found[0].line, line) << found[0].text;
    for (const std::string& part : {"kernel '" + kernel + "'", "the host " + verb + " it",
                                    std::string("without a wait of the host")})
      EXPECT_NE(found[0].text.find(part), std::string::npos) << found[0].text;
  }
  static void expect_order() {
    const auto found = reports();
    EXPECT_TRUE(found.empty()) << found[0].text;
  }

  static bool sees_accesses() {
#if defined(__x86_64__)
    return true;
#else
    return false;
#endif
  }

  static std::unique_ptr<Program> program_;
  std::unique_ptr<Checking> checking_;
  CUdeviceptr managed_ = 0, words_ = 0, other_ = 0;
  void* pinned_ = nullptr;
  int* m = nullptr;
  CUstream A = nullptr, B = nullptr;
  CUevent event_ = nullptr;
};
std::unique_ptr<Program> HostRaces::program_;

#define RACE(name, line, kernel, verb, ...)                                                   \
  TEST_F(HostRaces, name) {                                                                   \
    if (!sees_accesses()) GTEST_SKIP() << "the device sees the program's accesses on x86-64"; \
    __VA_ARGS__                                                                               \
    expect_race(line, kernel, verb);                                                          \
  }
#define ORDERED(name, ...)  \
  TEST_F(HostRaces, name) { \
    __VA_ARGS__             \
    expect_order();         \
  }
#include "host_races.inc"
#undef RACE
#undef ORDERED

}  // namespace
}  // namespace cucore::cpu::kernels
