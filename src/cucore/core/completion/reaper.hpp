// SPDX-License-Identifier: Apache-2.0
// Looks for the end of the work that futures await: one thread a device, which asks the driver
// while anything is awaited and sleeps while nothing is. Nothing wakes a thread when a GPU has
// finished, and a host function in the stream would hold the stream up.
#pragma once

#include <condition_variable>
#include <mutex>
#include <unordered_map>

#include "core/objects/event_pool.hpp"
#include "core/objects/lane.hpp"

namespace cucore::core {

class Reaper {
 public:
  // A device's, started at the first question; never ends. Throws where there can be no thread.
  static Reaper& of(const Device& device);
  static Reaper* find(const Device& device) noexcept {
    return device.reaper().load(std::memory_order_acquire);
  }

  // Records an event behind the work that is in the stream, and ends the future once it is
  // complete; at once where a fault has broken the context. Throws, and then the future is as
  // before.
  void watch(const Stream& stream, Future& future);

  // Asks for a pending future at once, on the calling thread.
  void look(const Future& future) noexcept;

  // Ends all that awaits work of a context that is about to be destroyed: with what can still be
  // known of it, else as lost. Marks the context.
  void abandon(const Context& context) noexcept;

  // CPU time of all these threads, up to their last pause.
  static uint64_t cpu_ns() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Key {
    const Context* context;
    uint64_t stream;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const noexcept;
  };
  struct Place {
    Lane* lane;
    CUevent event;
  };
  struct Swept {
    bool news = false;     // something came or ended
    bool pending = false;  // something is left
  };

  explicit Reaper(const Device& device) : device_(device) {}
  Reaper(const Reaper&) = delete;
  static void stop_all() noexcept;
  void start();
  void call_off() noexcept;

  // Of watch().
  void record(const Stream& stream, Future& future);
  void end_broken(const Stream& stream, Future& future, CUresult result) noexcept;
  Place enter(const Stream& stream, uint64_t id);
  void leave(const Place& place) noexcept;
  bool commit(const Place& place, Future& future) noexcept;

  // With sweeping_ held.
  bool absorb() noexcept;
  Swept sweep() noexcept;
  bool sweep(Lane& lane) noexcept;
  bool has_ended(const Lane& lane, Outcome& outcome) noexcept;
  Outcome fault_of(CUresult result) const noexcept;
  void put_away(Lane& lane, Future* ended) noexcept;
  void unlist(Lane& lane) noexcept;
  void drop_user(Lane& lane) noexcept;
  void set_pace() noexcept;

  // Of the thread.
  void run() noexcept;
  Swept sweep_once() noexcept;
  void make_current() noexcept;
  void rest(const Swept& swept, Clock::time_point last_news) noexcept;
  void pause() const noexcept;
  void sleep() noexcept;
  void wait_for_work() noexcept;
  void trim_events() noexcept;
  void note_cpu_time() noexcept;
  void end_all() noexcept;
  bool has_work() const noexcept { return has_incoming_.load() || has_pending_.load(); }
  bool must_stop() const noexcept { return stopping_.load() || driver::is_gone(); }

  const Device& device_;

  std::mutex mutex_;  // for moments: guards what follows
  std::condition_variable changed_;
  std::unordered_map<Key, Lane, Hash> lanes_;  // of every stream with something pending
  EventPool events_;
  Future* incoming_ = nullptr;  // recorded, not in its lane yet
  Future** incoming_end_ = &incoming_;
  bool asleep_ = false;  // the thread waits for changed_

  std::mutex sweeping_;     // held while the driver is asked: guards what follows, and all lanes
  Lane* listed_ = nullptr;  // lanes that are not empty
  QueueOptions pace_;       // the most eager of the queues that something is pending for
  Outcome fault_;           // of a context, during one sweep
  const Context* faulted_ = nullptr;
  Ref<Context> current_;  // on the thread

  std::atomic<bool> has_incoming_{false};
  std::atomic<bool> has_pending_{false};  // something is listed
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ended_{false};  // as is everything that was awaited
  std::atomic<uint64_t> cpu_ns_{0};
};

}  // namespace cucore::core
