// SPDX-License-Identifier: Apache-2.0
// Captures streams into graphs as a program does that calls the driver itself.
#pragma once

#include <cucore.h>
#include <cuda.h>

#include "native_driver.hpp"

namespace capi_test {

class NativeGraphs {
 public:
  NativeGraphs() {
    const NativeDriver driver;
    driver.find("cuStreamBeginCapture", begin_);
    driver.find("cuStreamEndCapture", end_);
    driver.find("cuGraphInstantiateWithFlags", instantiate_);
    driver.find("cuGraphLaunch", launch_);
    driver.find("cuGraphExecDestroy", destroy_exec_);
    driver.find("cuGraphDestroy", destroy_);
    driver.find("cuDevicePrimaryCtxRetain", retain_);
    driver.find("cuDevicePrimaryCtxRelease", release_);
    driver.find("cuCtxSetCurrent", set_current_);
  }
  explicit operator bool() const { return begin_ && end_ && instantiate_ && launch_; }

  // The default is the strictest mode, in which an unsafe call of any thread breaks the capture.
  CUresult begin(const cucore_stream* stream,
                 CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) const {
    return begin_(native(stream), mode);
  }
  CUresult end(const cucore_stream* stream, CUgraph& graph) const {
    return end_(native(stream), &graph);
  }
  CUresult instantiate(CUgraphExec& exec, CUgraph graph) const {
    CUcontext context = nullptr;  // instantiation uses the current one
    retain_(&context, 0);
    set_current_(context);
    const CUresult result = instantiate_(&exec, graph, 0);
    set_current_(nullptr);
    release_(0);
    return result;
  }
  CUresult launch(CUgraphExec exec, const cucore_stream* stream) const {
    return launch_(exec, native(stream));
  }
  void destroy(CUgraph graph, CUgraphExec exec) const {
    if (exec) destroy_exec_(exec);
    if (graph) destroy_(graph);
  }

 private:
  static CUstream native(const cucore_stream* stream) {
    return static_cast<CUstream>(cucore_stream_native(stream));
  }

  decltype(&::cuStreamBeginCapture) begin_ = nullptr;
  decltype(&::cuStreamEndCapture) end_ = nullptr;
  decltype(&::cuGraphInstantiateWithFlags) instantiate_ = nullptr;
  decltype(&::cuGraphLaunch) launch_ = nullptr;
  decltype(&::cuGraphExecDestroy) destroy_exec_ = nullptr;
  decltype(&::cuGraphDestroy) destroy_ = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain_ = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) release_ = nullptr;
  decltype(&::cuCtxSetCurrent) set_current_ = nullptr;
};

}  // namespace capi_test
