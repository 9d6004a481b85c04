// SPDX-License-Identifier: Apache-2.0
// What the driver remembers of each of the program's threads: the stack of contexts, its default
// streams, and whether it is inside a per-thread entry point.
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
  std::vector<std::shared_ptr<Stream>> default_streams;  // one for each context that asked
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool per_thread = false;
  std::string load_log;  // of the last image that was loaded or refused
};

// The calling thread's; the first call on a thread makes it, and answers nullptr if memory is out.
ThreadState* try_thread_state() noexcept;
// The same on a thread that has entered the driver: the wrapper has made it.
ThreadState& thread_state();

}  // namespace cucore::cpu
