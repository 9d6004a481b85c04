// SPDX-License-Identifier: Apache-2.0
// The streams that use a resource. Their work must be complete before the resource is released.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "core/objects/stream.hpp"

namespace cucore::core {

// Uses are added from any thread. During the release of the resource, only one thread calls the
// functions below the line.
class StreamUses {
 public:
  StreamUses() = default;
  ~StreamUses();
  StreamUses(const StreamUses&) = delete;
  StreamUses& operator=(const StreamUses&) = delete;

  // Whether contains() finds the stream from now on.
  enum Remember : bool { FORGET, REMEMBER };

  // Returns whether add() has recorded the stream of this key. One comparison, no lock.
  bool contains(const void* key) const noexcept {
    return known_[slot(key)].load(std::memory_order_acquire) == key;
  }

  // Adds a stream of the library. Its mark is recorded at the release of the resource, so a use
  // makes no driver call. Call before the work is added to the stream.
  void add(const Ref<StreamMark>& mark, Remember remember = REMEMBER);

  // Adds all work of a context, for streams that have no mark.
  void add(const Ref<Context>& context, Remember remember = REMEMBER);

  // Adds a stream by its mark, or its whole context if it has none.
  void add(const Stream& stream, Remember remember = REMEMBER);

  // Adds the streams and contexts of another resource, of which no stream has events.
  void add(const StreamUses& other);

  // Add a stream without a mark, by an event per use, because the program may destroy the stream.
  // A call of prepare_event() precedes the addition of the work and may throw. A call of
  // record_event() follows it, with the number that prepare_event() returned. Work in a
  // capture is not recorded, because its graph keeps what it needs.
  uint64_t prepare_event(const Stream& stream);
  void record_event(const Stream& stream, uint64_t stream_id) noexcept;

  bool is_empty() const noexcept;

  // ---- for the thread that releases

  // Forgets a stream in whose order the release comes anyway.
  void forget(const StreamMark* mark) noexcept;

  // Records the progress of the streams. During the capture of a stream nothing can be recorded,
  // and are_complete() tries again.
  void mark() noexcept;

  // Returns whether are_complete() would block on a whole context.
  bool need_blocking_wait() const noexcept;

  // Returns whether all marked work is complete. Blocks only if need_blocking_wait() was true.
  bool are_complete() noexcept;

  // Records the progress of the streams, for make_wait(). Returns false if only the host can wait
  // for some use: a stream is captured, or the driver refuses.
  bool prepare_wait(const driver::CudaTable& cu) noexcept;

  // Makes a release stream wait on the device for all uses. Returns false if the driver refuses.
  bool make_wait(const driver::CudaTable& cu, const ReleaseStreams::Lease& waiter) noexcept;

 private:
  // A stream that could not be marked is waited for with its whole context.
  struct StreamUse {
    Ref<StreamMark> mark;
    CUevent event = nullptr;  // not shared, because another release must not move it
    bool is_unmarked = false;
    bool is_captured = false;
  };
  struct EventUse {
    uint64_t stream_id;  // unique in the process, unlike a CUstream; or NO_NUMBER
    Ref<Context> context;
    CUevent event;           // null without a number
    unsigned under_way = 0;  // prepared and not recorded yet
    bool is_unmarked = false;
  };

  static constexpr size_t SLOTS = 4;
  static size_t slot(const void* key) { return (reinterpret_cast<uintptr_t>(key) >> 6) % SLOTS; }
  static void mark(StreamUse& use) noexcept;
  static bool is_complete(StreamUse& use) noexcept;
  bool wait_for_contexts() noexcept;
  void forget_finished();
  void forget_finished_events();
  EventUse* find_event(uint64_t stream_id, const Stream& stream) noexcept;
  static void record(EventUse& use, const Stream& stream) noexcept;

  mutable std::mutex mutex_;
  std::array<std::atomic<const void*>, SLOTS> known_{};
  std::vector<StreamUse> streams_;
  std::vector<Ref<Context>> contexts_;
  std::vector<EventUse> events_;
  size_t forget_at_ = 16;
};

// Returns whether all work of a context is complete; waits for it. Returns false while a capture
// forbids the wait.
bool wait_until_idle(const Context& context) noexcept;

}  // namespace cucore::core
