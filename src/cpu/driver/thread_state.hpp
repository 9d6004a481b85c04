// SPDX-License-Identifier: Apache-2.0
// The driver's state per program thread: the stack of contexts, its default streams, and whether a
// per-thread entry point runs.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

namespace cucore::cpu {

class Context;
class Stream;

struct ThreadState {
  ~ThreadState();
  std::vector<std::shared_ptr<Context>> stack;
  std::vector<std::shared_ptr<Stream>> default_streams;  // one per context that requested it
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool per_thread = false;
  std::string load_log;  // log of the last image that was loaded or refused
  std::string failure;   // reason of the last call that failed; "": its result is the reason
};

// Returns the calling thread's state. The first call on a thread creates it, and returns nullptr if
// memory is exhausted.
ThreadState* try_thread_state() noexcept;
// Does the same on a thread that has entered the driver, where the wrapper has created the state.
ThreadState& thread_state();

}  // namespace cucore::cpu
