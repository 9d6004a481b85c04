// SPDX-License-Identifier: Apache-2.0
// CUCORE_ARGUMENT_OBJECT with a handle that is not a buffer, in launches, prepared launches, nodes
// and changes of nodes.
#include "external_testing.hpp"
#include "graph_testing.hpp"

namespace {

using namespace capi_test;

class ObjectArguments : public OnGraph {
 protected:
  void SetUp() override {
    OnGraph::SetUp();
    if (IsSkipped()) return;
    x_ = make_floats(1);
    node_ = add_saxpy({}, 2, x_, x_);
    executable_ = make_executable(graph_);
  }
  void TearDown() override {
    executable_.reset();
    x_.reset();
    OnGraph::TearDown();
  }

  // Every call that takes arguments refuses the list in the same words.
  void refuses(cucore_status status, const std::string& message,
               const std::vector<cucore_argument>& list) {
    const cucore_launch_options options = grid(1, 32);
    const cucore_argument* const all = list.data();
    const size_t count = list.size();
    FAILS(status, message, cucore_kernel_launch, saxpy_, stream_, &options, all, count);
    cucore_prepared_launch* prepared = nullptr;
    FAILS(status, message, cucore_prepared_launch_create, saxpy_, stream_, &options, all, count,
          &prepared);
    EXPECT_EQ(prepared, nullptr);
    cucore_node out = 7;
    FAILS(status, message, cucore_graph_add_kernel, graph_, nullptr, 0, saxpy_, &options, all,
          count, &out);
    EXPECT_EQ(out, 0u);
    FAILS(status, message, cucore_graph_set_kernel, graph_, node_, nullptr, nullptr, all, count);
    FAILS(status, message, cucore_executable_set_kernel, executable_, node_, nullptr, nullptr, all,
          count);
    EXPECT_EQ(cucore_graph_node_count(graph_), 1u);
  }
  std::vector<cucore_argument> with(const void* object) const {
    return {CUCORE_ARGUMENT(a_),
            {object, CUCORE_ARGUMENT_OBJECT},
            {x_, CUCORE_ARGUMENT_OBJECT},
            CUCORE_ARGUMENT(n_)};
  }

  static constexpr const char* WRONG =
      "argument 1 of kernel saxpy is a released buffer or a handle of another type; expected a "
      "cucore_buffer";
  const float a_ = 2;
  const uint32_t n_ = COUNT;
  Buffer x_;
  cucore_node node_ = 0;
  Executable executable_;
};

TEST_F(ObjectArguments, AreNoHandlesOfOtherTypes) {
  const Event event = make_event(device_);
  const Pool pool = make_pool(device_);
  const External semaphore = make_semaphore(device_);
  for (const void* const handle :
       {static_cast<const void*>(device_.get()), static_cast<const void*>(stream_.get()),
        static_cast<const void*>(event.get()), static_cast<const void*>(pool.get()),
        static_cast<const void*>(code_.get()), static_cast<const void*>(saxpy_.get()),
        static_cast<const void*>(graph_.get()), static_cast<const void*>(executable_.get())})
    refuses(CUCORE_ERROR_INVALID_HANDLE, WRONG, with(handle));
  if (semaphore) refuses(CUCORE_ERROR_INVALID_HANDLE, WRONG, with(semaphore.get()));
}

TEST_F(ObjectArguments, AreNoReleasedBuffers) {
  Buffer gone = make_floats(1);
  const void* const handle = gone.get();
  gone.reset();
  refuses(CUCORE_ERROR_INVALID_HANDLE, WRONG, with(handle));
}

// The head of a live handle of libcucore-array, as libraries read those of each other.
TEST_F(ObjectArguments, AreNoHandlesOfOtherLibraries) {
  const struct {
    uint32_t type = 0x45430101, references = 1;
    const char* name = "cucore_array";
    void* rest[4] = {};
  } array;
  refuses(CUCORE_ERROR_INVALID_HANDLE, WRONG, with(&array));
}

TEST_F(ObjectArguments, FitOnlyParametersOfTheSizeOfAnAddress) {
  std::vector<cucore_argument> list = with(x_);
  list[3] = {x_, CUCORE_ARGUMENT_OBJECT};
  refuses(CUCORE_ERROR_INVALID_ARGUMENT,
          "argument 3 of kernel saxpy is a buffer; the kernel's parameter has 4 bytes", list);
  list = with(x_);
  list[0] = {x_, CUCORE_ARGUMENT_OBJECT};
  refuses(CUCORE_ERROR_INVALID_ARGUMENT,
          "argument 0 of kernel saxpy is a buffer; the kernel's parameter has 4 bytes", list);
}

TEST_F(ObjectArguments, LeaveTheNodeAsItWasWhenTheyAreRefused) {
  const cucore_launch_options options = grid(1, 32);
  const std::vector<cucore_argument> list = with(stream_.get());
  EXPECT_EQ(
      cucore_graph_set_kernel(graph_, node_, nullptr, &options, list.data(), list.size(), nullptr),
      CUCORE_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cucore_executable_set_kernel(executable_, node_, nullptr, &options, list.data(),
                                         list.size(), nullptr),
            CUCORE_ERROR_INVALID_HANDLE);
  launch(executable_);
  if (runs_kernels()) {  // 2 * 1 + 1
    EXPECT_EQ(first(x_), 3);
  }
  run();
  if (runs_kernels()) {
    EXPECT_EQ(first(x_), 9);
  }
}

}  // namespace
