// SPDX-License-Identifier: Apache-2.0
// A graph of the driver that only this thread has, and that ends with the scope.
#pragma once

#include "driver/cuda.hpp"

namespace cucore::core {

class TemporaryGraph {
 public:
  // Throws if the driver fails.
  explicit TemporaryGraph(const driver::CudaTable& cu) : cu_(cu) {
    driver::check(cu.cuGraphCreate(&native_, 0), "create a graph");
  }
  // A copy. Throws if the driver fails.
  TemporaryGraph(const driver::CudaTable& cu, CUgraph source) : cu_(cu) {
    driver::check(cu.cuGraphClone(&native_, source), "clone a graph");
  }
  ~TemporaryGraph() { driver::check_release(cu_.cuGraphDestroy(native_), "destroy a graph"); }
  TemporaryGraph(const TemporaryGraph&) = delete;
  TemporaryGraph& operator=(const TemporaryGraph&) = delete;

  CUgraph native() const { return native_; }

 private:
  const driver::CudaTable& cu_;
  CUgraph native_ = nullptr;
};

}  // namespace cucore::core
