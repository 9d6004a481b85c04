// SPDX-License-Identifier: Apache-2.0
// The kernel of the launch benchmark: one kernel of three parameters, on one device, in both ways.
#pragma once

#include <cucore.h>
#include <cuda.h>

class World {
 public:
  World();

  const char* device_name() const { return cucore_device_name(device_); }
  void launch_bare();
  void launch();
  void launch_packed();
  // On a stream whose native handle the program has, and may capture.
  void launch_on_shared_stream();
  void launch_on_default_stream();
  // With the buffer as a CUCORE_ARGUMENT_OBJECT: on its own stream, and on another.
  void launch_buffer();
  void launch_buffer_elsewhere();
  void renew_buffer();
  void synchronize();
  void record();
  void find_kernel();
  void make_stream();
  void make_event();
  void make_buffer();
  void make_objectcode();

 private:
  void open();
  void prepare_bare();

  cucore_device* device_ = nullptr;
  cucore_stream* stream_ = nullptr;
  cucore_stream* second_stream_ = nullptr;
  cucore_stream* shared_stream_ = nullptr;
  cucore_stream* default_stream_ = nullptr;
  cucore_event* event_ = nullptr;
  cucore_buffer* buffer_ = nullptr;
  cucore_objectcode* code_ = nullptr;
  cucore_kernel* kernel_ = nullptr;

  // The three arguments, in the form of each way of launching.
  struct {
    float a = 2;
    int32_t n = 0;
    uint64_t data = 0;
  } packed_;
  cucore_argument arguments_[3], with_buffer_[3];
  void* pointers_[3];

  cucore_launch_options options_ = CUCORE_LAUNCH_OPTIONS_INIT;
  CUlaunchConfig config_{};
  decltype(&::cuLaunchKernelEx) launch_bare_ = nullptr;
};
