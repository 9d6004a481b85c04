// SPDX-License-Identifier: Apache-2.0
// The streams that use a resource. Their work must be complete before the resource is released.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "core/objects/stream.hpp"

namespace cucore::core {

// Uses are added from any thread. Once the resource is being released, one thread alone calls the
// functions below the line.
class StreamUses {
 public:
  StreamUses() = default;
  ~StreamUses();
  StreamUses(const StreamUses&) = delete;
  StreamUses& operator=(const StreamUses&) = delete;

  // Whether contains() finds the stream from now on.
  enum Remember : bool { FORGET, REMEMBER };

  // Whether add() has recorded the stream of this key. One comparison, no lock.
  bool contains(const void* key) const noexcept {
    return known_[slot(key)].load(std::memory_order_acquire) == key;
  }

  // Adds a stream of the library. Its mark is recorded when the resource is released, so a use
  // costs no call of the driver. Call before the work is added to the stream.
  void add(const Ref<StreamMark>& mark, Remember remember = REMEMBER);

  // Adds all work of a context, for streams that have no mark.
  void add(const Ref<Context>& context, Remember remember = REMEMBER);

  // Add a stream without a mark, by an event per use: the program may destroy the stream.
  // prepare_event() comes before the work is added to the stream and may throw. record_event()
  // comes after it, with the number of the stream that prepare_event() returned.
  uint64_t prepare_event(const Stream& stream);
  void record_event(const Stream& stream, uint64_t stream_id) noexcept;

  bool is_empty() const noexcept;

  // ---- for the thread that releases

  // Marks how far the streams have come. While a stream is captured nothing can be marked, and
  // are_complete() tries again.
  void mark() noexcept;

  // Whether are_complete() would block on a whole context.
  bool need_blocking_wait() const noexcept;

  // Whether all work that was marked is complete.
  bool are_complete() noexcept;

  // Records how far the streams have come, for make_wait(). False if only the host can wait for
  // some use: a stream is captured, or the driver refuses.
  bool prepare_wait(const driver::CudaTable& cu) noexcept;

  // Makes a release stream wait on the device for all uses. False if the driver refuses.
  bool make_wait(const driver::CudaTable& cu, const ReleaseStreams::Lease& waiter) noexcept;

 private:
  // A stream that could not be marked is waited for with its whole context.
  struct StreamUse {
    Ref<StreamMark> mark;
    CUevent event = nullptr;  // of its own: another release must not move it
    bool is_unmarked = false;
    bool is_captured = false;
  };
  struct EventUse {
    uint64_t stream_id;  // unique in the process, unlike a CUstream
    Ref<Context> context;
    CUevent event;
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
  EventUse* find_event(uint64_t stream_id) noexcept;

  mutable std::mutex mutex_;
  std::array<std::atomic<const void*>, SLOTS> known_{};
  std::vector<StreamUse> streams_;
  std::vector<Ref<Context>> contexts_;
  std::vector<EventUse> events_;
  size_t forget_at_ = 16;
};

// Whether all work of a context is complete; waits for it. False while a capture forbids the wait.
bool wait_until_idle(const Context& context) noexcept;

}  // namespace cucore::core
