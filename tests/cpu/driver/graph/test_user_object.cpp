// SPDX-License-Identifier: Apache-2.0
// User objects: who keeps them, and the thread that ends them.
#include <atomic>

#include "graph_test.hpp"

namespace cutest {
namespace {

struct Ended {
  std::atomic<int> count{0};
  std::atomic<int> result{-1};
  std::atomic<bool> other_thread{false};
  std::thread::id maker = std::this_thread::get_id();
  Driver* driver = nullptr;
};

class UserObjects : public GraphTest {
 protected:
  CUuserObject make(unsigned references = 1) {
    ended.driver = &cu;
    CUuserObject object = nullptr;
    EXPECT_CU(0, cu.cuUserObjectCreate(&object, &ended, end, references,
                                       CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    return object;
  }
  static void end(void* p) {
    auto& e = *static_cast<Ended*>(p);
    CUcontext context = nullptr;
    e.result = e.driver->cuCtxGetCurrent(&context);
    e.other_thread = std::this_thread::get_id() != e.maker;
    ++e.count;
  }
  bool ends() {
    return eventually([&] { return ended.count == 1; });
  }
  void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }
  Ended ended;
};

TEST_F(UserObjects, TheLastReferenceEndsThemOnAnotherThread) {
  CUuserObject object = make(2);
  OK(cu.cuUserObjectRetain(object, 3));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectRelease(object, 6));
  OK(cu.cuUserObjectRelease(object, 4));
  settle();
  EXPECT_EQ(0, ended.count);
  EXPECT_EQ(1u, live("user_objects"));
  OK(cu.cuUserObjectRelease(object, 1));
  EXPECT_TRUE(ends());
  EXPECT_EQ(CUDA_ERROR_NOT_PERMITTED, ended.result);
  EXPECT_TRUE(ended.other_thread);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectRetain(object, 1));
  EXPECT_EQ(0u, live("user_objects"));
}

TEST_F(UserObjects, ArgumentsAreChecked) {
  CUuserObject object = nullptr;
  const unsigned flag = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectCreate(&object, nullptr, nullptr, 1, flag));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectCreate(&object, nullptr, end, 0, flag));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectCreate(&object, nullptr, end, 1, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectRetain(nullptr, 1));
  object = make();
  CUgraph graph = make_graph();
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectRetain(object, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectRetain(object, 1u << 31));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphRetainUserObject(graph, object, 1, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphReleaseUserObject(graph, object, 1));
  OK(cu.cuGraphRetainUserObject(graph, object, 2, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuGraphReleaseUserObject(graph, object, 3));
  OK(cu.cuUserObjectRelease(object, 1));
  OK(cu.cuGraphReleaseUserObject(graph, object, 2));
  EXPECT_TRUE(ends());
}

TEST_F(UserObjects, GraphsClonesExecutablesAndLaunchesKeepThem) {
  CUgraph graph = nullptr, clone = nullptr;
  OK(cu.cuGraphCreate(&graph, 0));
  OK(cu.cuGraphRetainUserObject(graph, make(), 1, CU_GRAPH_USER_OBJECT_MOVE));
  add_mark(graph, {}, 'x');
  OK(cu.cuGraphClone(&clone, graph));
  OK(cu.cuGraphDestroy(graph));
  CUgraphExec executable = nullptr;
  OK(cu.cuGraphInstantiateWithFlags(&executable, clone, 0));
  OK(cu.cuGraphDestroy(clone));
  settle();
  EXPECT_EQ(0, ended.count);
  CUstream stream = make_stream();
  close_gate(stream);
  OK(cu.cuGraphLaunch(executable, stream));
  OK(cu.cuGraphExecDestroy(executable));
  settle();
  EXPECT_EQ(0, ended.count);
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_TRUE(ends());
  EXPECT_EQ("x", log());
}

TEST_F(UserObjects, AnUpdateReplacesThemAfterLaunchesInFlight) {
  CUgraph graph = nullptr, plain = make_graph();
  OK(cu.cuGraphCreate(&graph, 0));
  OK(cu.cuGraphRetainUserObject(graph, make(), 1, CU_GRAPH_USER_OBJECT_MOVE));
  add_empty(graph);
  add_empty(plain);
  CUgraphExec executable = instantiate(graph);
  OK(cu.cuGraphDestroy(graph));
  CUstream stream = make_stream();
  close_gate(stream);
  OK(cu.cuGraphLaunch(executable, stream));
  CUgraphExecUpdateResultInfo info{};
  OK(cu.cuGraphExecUpdate_v2(executable, plain, &info));
  settle();
  EXPECT_EQ(0, ended.count);  // the launch in flight has the old plan
  open_gate();
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_TRUE(ends());
}

}  // namespace
}  // namespace cutest
