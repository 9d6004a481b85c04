// What the driver remembers of each of the program's threads: the stack of contexts, its default
// streams, and whether it is inside a per-thread entry point or a host function.
#ifndef CUCPU_DRIVER_THREAD_STATE_HPP
#define CUCPU_DRIVER_THREAD_STATE_HPP

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace cucpu {

class Context;
class Stream;

struct ThreadState {
  ~ThreadState();
  std::vector<std::shared_ptr<Context>> stack;
  std::vector<std::shared_ptr<Stream>> default_streams;  // one for each context that asked
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool per_thread = false;
  bool in_callback = false;
};

ThreadState& thread_state();

}  // namespace cucpu

#endif
