// Unloads what nothing uses any more, on a thread of its own: the driver promises nothing for
// kernels in flight, and unloading where another thread captures a stream breaks its capture.
#pragma once

#include <memory>
#include <vector>

#include "core/stream_mark.hpp"

namespace cucore::core {

// A library of the driver, and what must be complete before it may go. Made when the library is
// loaded, so that a release allocates nothing.
struct Unload {
  CUlibrary library = nullptr;
  std::vector<Ref<StreamMark>> streams;  // our own, on which it was launched
  std::vector<Ref<Context>> contexts;    // of other streams on which it was: all work in these
  bool captured = false;                 // a stream was being captured, and is marked when it ends
  Unload* next = nullptr;                // in the queue
};

// A reference of a graph to what it launches.
struct Held {
  Ref<const Object> what;
  Held* next = nullptr;  // in the queue
};

// Starts the thread if it does not run yet; throws if it cannot.
void start_unloader();

// Marks how far the streams have come, unless one is captured: then nothing is marked yet.
void mark_streams(Unload& unload) noexcept;

// Queues and returns at once.
void unload_later(std::unique_ptr<Unload> unload) noexcept;

// The same for a reference, from where no call of the driver may be made.
void drop_later(std::unique_ptr<Held> held) noexcept;

}  // namespace cucore::core
