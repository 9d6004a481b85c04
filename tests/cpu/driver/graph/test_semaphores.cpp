// SPDX-License-Identifier: Apache-2.0
// Semaphores of other libraries: an eventfd, and a number in a shared file.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "graph_test.hpp"

namespace cutest {
namespace {

class Semaphores : public GraphTest {
 protected:
  void SetUp() override {
    GraphTest::SetUp();
    event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    file_ = memfd_create("timeline", MFD_CLOEXEC);
    ASSERT_EQ(0, ftruncate(file_, 8));
    OK(import(event_, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, &binary_));
    OK(import(file_, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, &timeline_));
  }
  void TearDown() override {
    OK(cu.cuDestroyExternalSemaphore(binary_));
    OK(cu.cuDestroyExternalSemaphore(timeline_));
    close(event_);
    close(file_);
    GraphTest::TearDown();
  }

  // Hands a copy of the descriptor over.
  CUresult import(int descriptor, CUexternalSemaphoreHandleType type, CUexternalSemaphore* out) {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
    description.type = type;
    description.handle.fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    const CUresult result = cu.cuImportExternalSemaphore(out, &description);
    if (result != CUDA_SUCCESS) close(description.handle.fd);
    return result;
  }

  static CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_to(uint64_t value) {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params{};
    params.params.fence.value = value;
    return params;
  }
  static CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_for(uint64_t value) {
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params{};
    params.params.fence.value = value;
    return params;
  }
  CUresult signal(CUexternalSemaphore semaphore, uint64_t value, CUstream stream) {
    const auto params = signal_to(value);
    return cu.cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream);
  }
  CUresult wait(CUexternalSemaphore semaphore, uint64_t value, CUstream stream) {
    const auto params = wait_for(value);
    return cu.cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
  }

  uint64_t events() const {
    uint64_t count = 0;
    return ::read(event_, &count, sizeof count) == sizeof count ? count : 0;
  }
  uint64_t number() const {
    uint64_t value = 0;
    EXPECT_EQ(8, pread(file_, &value, sizeof value, 0));
    return value;
  }
  void set_number(uint64_t value) const { EXPECT_EQ(8, pwrite(file_, &value, sizeof value, 0)); }

  int event_ = -1, file_ = -1;
  CUexternalSemaphore binary_ = nullptr, timeline_ = nullptr;
};

TEST_F(Semaphores, OfOtherKindsAreRefused) {
  CUexternalSemaphore out = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            import(file_, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, &out));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            import(event_, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, &out));
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED,
            import(event_, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32, &out));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuImportExternalSemaphore(&out, nullptr));
  const int small = memfd_create("small", MFD_CLOEXEC);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            import(small, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, &out));
  close(small);
  EXPECT_EQ(nullptr, out);
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuDestroyExternalSemaphore(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, signal(nullptr, 0, nullptr));
  auto flagged = signal_to(1);
  flagged.flags = 1;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuSignalExternalSemaphoresAsync(&binary_, &flagged, 1, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuSignalExternalSemaphoresAsync(nullptr, &flagged, 0, nullptr));
}

TEST_F(Semaphores, OrderTheWorkOfAStream) {
  CUstream stream = make_stream();
  CUdeviceptr p = words(1);
  OK(wait(binary_, 0, stream));
  OK(cu.cuMemsetD32Async(p, 5, 1, stream));
  OK(signal(timeline_, 7, stream));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(stream));
  EXPECT_EQ(0u, number());
  OK(signal(binary_, 0, make_stream()));  // from another stream
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(5u, word(p));
  EXPECT_EQ(7u, number());
  EXPECT_EQ(0u, events());  // the wait took it
}

TEST_F(Semaphores, ATimelineNeverFalls) {
  CUstream stream = make_stream();
  OK(signal(timeline_, 7, stream));
  OK(signal(timeline_, 3, stream));
  OK(wait(timeline_, 7, stream));
  OK(wait(timeline_, 2, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(7u, number());
  OK(wait(timeline_, 9, stream));
  set_number(8);
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(stream));
  set_number(9);
  OK(cu.cuStreamSynchronize(stream));
}

TEST_F(Semaphores, SeveralAreOneCall) {
  CUstream stream = make_stream();
  const CUexternalSemaphore both[] = {binary_, timeline_};
  const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signals[] = {signal_to(0), signal_to(4)};
  OK(cu.cuSignalExternalSemaphoresAsync(both, signals, 2, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(4u, number());
  const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS waits[] = {wait_for(0), wait_for(4)};
  OK(cu.cuWaitExternalSemaphoresAsync(both, waits, 2, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(0u, events());
}

TEST_F(Semaphores, EndWithTheLastWorkThatUsesThem) {
  CUexternalSemaphore own = nullptr;
  OK(import(event_, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, &own));
  CUstream stream = make_stream();
  OK(wait(timeline_, 1, stream));
  OK(signal(own, 0, stream));
  OK(cu.cuDestroyExternalSemaphore(own));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, signal(own, 0, stream));
  set_number(1);
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(1u, events());
}

TEST_F(Semaphores, AreNodes) {
  CUgraph graph = make_graph();
  CUdeviceptr p = words(1);
  auto waiting = wait_for(2);
  auto signalled = signal_to(6);
  const CUDA_EXT_SEM_WAIT_NODE_PARAMS wait_node{&timeline_, &waiting, 1};
  const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signal_node{&timeline_, &signalled, 1};
  CUgraphNode first = nullptr, last = nullptr;
  OK(cu.cuGraphAddExternalSemaphoresWaitNode(&first, graph, nullptr, 0, &wait_node));
  CUgraphNode middle = add_increase(graph, {first}, p, 1);
  OK(cu.cuGraphAddExternalSemaphoresSignalNode(&last, graph, &middle, 1, &signal_node));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, type_of(first));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, type_of(last));
  CUDA_EXT_SEM_WAIT_NODE_PARAMS seen_wait{};
  OK(cu.cuGraphExternalSemaphoresWaitNodeGetParams(first, &seen_wait));
  ASSERT_EQ(1u, seen_wait.numExtSems);
  EXPECT_EQ(timeline_, seen_wait.extSemArray[0]);
  EXPECT_EQ(2u, seen_wait.paramsArray[0].params.fence.value);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS seen_signal{};
  OK(cu.cuGraphExternalSemaphoresSignalNodeGetParams(last, &seen_signal));
  EXPECT_EQ(6u, seen_signal.paramsArray[0].params.fence.value);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphExternalSemaphoresSignalNodeSetParams(first, &signal_node));

  CUgraphExec executable = instantiate(graph);
  CUstream stream = make_stream();
  OK(cu.cuGraphLaunch(executable, stream));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(stream));
  set_number(2);
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(6u, number());
  EXPECT_EQ(1u, word(p));

  signalled = signal_to(9);
  OK(cu.cuGraphExecExternalSemaphoresSignalNodeSetParams(executable, last, &signal_node));
  waiting = wait_for(6);
  OK(cu.cuGraphExecExternalSemaphoresWaitNodeSetParams(executable, first, &wait_node));
  run(executable, stream);
  EXPECT_EQ(9u, number());
  signalled = signal_to(12);
  OK(cu.cuGraphExternalSemaphoresSignalNodeSetParams(last, &signal_node));
  OK(cu.cuGraphExternalSemaphoresWaitNodeSetParams(first, &wait_node));
  CUgraphExecUpdateResultInfo info{};
  OK(cu.cuGraphExecUpdate_v2(executable, graph, &info));
  run(executable, stream);
  EXPECT_EQ(12u, number());
  EXPECT_EQ(3u, word(p));
}

TEST_F(Semaphores, AnUpdateKeepsTheirNumber) {
  CUgraph graph = make_graph();
  CUexternalSemaphore both[] = {binary_, timeline_};
  const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signals[] = {signal_to(0), signal_to(4)};
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS node{both, signals, 1};
  CUgraphNode one = nullptr;
  OK(cu.cuGraphAddExternalSemaphoresSignalNode(&one, graph, nullptr, 0, &node));
  CUgraphExec executable = instantiate(graph);
  node.numExtSems = 2;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuGraphExecExternalSemaphoresSignalNodeSetParams(executable, one, &node));
  run(executable);
  EXPECT_EQ(1u, events());
}

TEST_F(Semaphores, AreCapturedAndMadeFromTheGenericStruct) {
  CUstream stream = make_stream();
  OK(cu.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(wait(timeline_, 3, stream));
  OK(signal(binary_, 0, stream));
  CUgraph captured = nullptr;
  OK(cu.cuStreamEndCapture(stream, &captured));
  const std::vector<CUgraphNode> nodes = nodes_of(captured);
  ASSERT_EQ(2u, nodes.size());
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, type_of(nodes[0]));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, type_of(nodes[1]));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
  const auto signalled = signal_to(5);
  params.extSemSignal = {&timeline_, &signalled, 1};
  CUgraphNode added = nullptr;
  OK(cu.cuGraphAddNode_v2(&added, captured, &nodes[1], nullptr, 1, &params));
  set_number(3);
  run(instantiate(captured), stream);
  EXPECT_EQ(1u, events());
  EXPECT_EQ(5u, number());
  OK(cu.cuGraphDestroy(captured));
}

TEST_F(Semaphores, AreInTheTextOfAGraph) {
  CUgraph graph = make_graph();
  const auto signalled = signal_to(5);
  const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS node{&timeline_, &signalled, 1};
  CUgraphNode added = nullptr;
  OK(cu.cuGraphAddExternalSemaphoresSignalNode(&added, graph, nullptr, 0, &node));
  const std::string path = ::testing::TempDir() + "semaphores.dot";
  OK(cu.cuGraphDebugDotPrint(graph, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
  const int text = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  char bytes[4096] = {};
  ASSERT_LT(0, ::read(text, bytes, sizeof bytes - 1));
  close(text);
  unlink(path.c_str());
  EXPECT_NE(std::string::npos, std::string(bytes).find("EXT_SIGNAL"));
  EXPECT_NE(std::string::npos, std::string(bytes).find("value 5"));
}

// A semaphore leaves the context that imported it, whichever context is current.
TEST_F(Semaphores, EndWithoutTheirContextCurrent) {
  const uint64_t before = leaked("external_semaphores");
  CUcontext own = nullptr, other = nullptr, popped = nullptr;
  CUexternalSemaphore first = nullptr, second = nullptr;
  OK(cu.cuCtxCreate_v4(&own, nullptr, 0, 0));
  OK(import(event_, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, &first));
  OK(import(event_, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, &second));
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  OK(cu.cuDestroyExternalSemaphore(first));
  OK(cu.cuCtxDestroy_v2(other));
  std::thread([&] { EXPECT_CU(0, cu.cuDestroyExternalSemaphore(second)); }).join();
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuDestroyExternalSemaphore(second));
  OK(cu.cuCtxDestroy_v2(own));
  EXPECT_EQ(before, leaked("external_semaphores"));
  OK(cu.cuCtxGetCurrent(&popped));
  EXPECT_EQ(context, popped);
}

}  // namespace
}  // namespace cutest
