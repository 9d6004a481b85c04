// SPDX-License-Identifier: Apache-2.0
// The calling thread's current context, queried from the scripted driver itself.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

#include "native_driver.hpp"

namespace capi_test {

class NativeContext {
 public:
  NativeContext() {
    const NativeDriver driver;
    find(driver, "cuCtxGetCurrent", get_current_);
    find(driver, "cuCtxSetCurrent", set_current_);
    find(driver, "cuDevicePrimaryCtxRetain", retain_);
    find(driver, "cuDevicePrimaryCtxRelease", release_);
    find(driver, "cuStreamCreateWithPriority", create_stream_);
    find(driver, "cuStreamDestroy", destroy_stream_);
    find(driver, "cuStreamBeginCapture", begin_capture_);
    find(driver, "cuStreamEndCapture", end_capture_);
    find(driver, "cuGraphDestroy", destroy_graph_);
  }

  CUcontext current() const {
    CUcontext context = nullptr;
    get_current_(&context);
    return context;
  }
  void set(CUcontext context) const { set_current_(context); }

  // Returns the primary context of a device, with a reference of another user of the process.
  CUcontext hold(int device) const {
    CUcontext context = nullptr;
    retain_(&context, device);
    return context;
  }
  void let_go(int device) const { release_(device); }

  CUstream make_stream() const {
    CUstream stream = nullptr;
    create_stream_(&stream, CU_STREAM_NON_BLOCKING, 0);
    return stream;
  }
  void destroy(CUstream stream) const { destroy_stream_(stream); }

  void begin_capture(CUstream stream) const {
    begin_capture_(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  }
  // Discards the captured graph.
  void end_capture(CUstream stream) const {
    CUgraph graph = nullptr;
    end_capture_(stream, &graph);
    if (graph) destroy_graph_(graph);
  }

 private:
  template <class Fn>
  static void find(const NativeDriver& driver, const char* name, Fn& function) {
    driver.find(name, function);
    if (!function) throw std::runtime_error(std::string("the driver has no ") + name);
  }

  decltype(&::cuCtxGetCurrent) get_current_ = nullptr;
  decltype(&::cuCtxSetCurrent) set_current_ = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain_ = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) release_ = nullptr;
  decltype(&::cuStreamCreateWithPriority) create_stream_ = nullptr;
  decltype(&::cuStreamDestroy) destroy_stream_ = nullptr;
  decltype(&::cuStreamBeginCapture) begin_capture_ = nullptr;
  decltype(&::cuStreamEndCapture) end_capture_ = nullptr;
  decltype(&::cuGraphDestroy) destroy_graph_ = nullptr;
};

}  // namespace capi_test
