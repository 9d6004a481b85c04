#include "core/unloader.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "core/library_thread.hpp"
#include "driver/cuda.hpp"
#include "support/log.hpp"

namespace cucore::core {
namespace {

using namespace std::chrono_literals;

constexpr auto SHORTEST_PAUSE = 50us;
constexpr auto LONGEST_PAUSE = 5000us;

// A call that a capture forbids for now: to be asked again.
bool is_capture_in_the_way(CUresult result) {
  return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
         result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

class Unloader {
 public:
  void start() {
    std::lock_guard lock(mutex_);
    if (started_) return;
    start_library_thread(
        "cucore-unloader", [](void* self) noexcept { static_cast<Unloader*>(self)->run(); }, this);
    started_ = true;
    // After the driver's own exit work was registered, so this runs before it.
    std::atexit([] { instance().wait_for_exit(); });
  }

  void add(std::unique_ptr<Unload> unload) noexcept { add_to(queue_, std::move(unload)); }
  void add(std::unique_ptr<Held> held) noexcept { add_to(held_, std::move(held)); }

  static Unloader& instance() {
    static auto* unloader = new Unloader;  // never destroyed: no work at exit
    return *unloader;
  }

 private:
  template <class T>
  void add_to(T*& queue, std::unique_ptr<T> item) noexcept {
    {
      std::lock_guard lock(mutex_);
      item->next = queue;
      queue = item.release();
    }
    changed_.notify_one();
  }

  // No call of the driver is under way once the driver's exit work begins. What is left stays.
  void wait_for_exit() noexcept {
    exiting_.store(true);
    (void)lock_at_exit(busy_);
  }

  bool must_stop() const noexcept { return exiting_.load() || driver::is_gone(); }

  void run() noexcept {
    {
      const std::lock_guard lock(busy_);
      if (!must_stop()) relax_captures();
    }
    auto pause = SHORTEST_PAUSE;
    for (;;) {
      if (take_new(pause)) pause = SHORTEST_PAUSE;
      if (must_stop()) return;
      drop_held();
      if (unload_ready()) pause = SHORTEST_PAUSE;
      pause = std::min<std::chrono::microseconds>(pause * 2, LONGEST_PAUSE);
    }
  }

  // Waits for something new; while something waits already, no longer than the pause.
  bool take_new(std::chrono::microseconds pause) {
    std::unique_lock lock(mutex_);
    const auto has_new = [this] { return queue_ != nullptr || held_ != nullptr; };
    if (waiting_)
      changed_.wait_for(lock, pause, has_new);
    else
      changed_.wait(lock, has_new);
    const bool any = has_new();
    while (queue_) {
      Unload* const first = queue_;
      queue_ = first->next;
      first->next = waiting_;
      waiting_ = first;
    }
    return any;
  }

  // What a reference was the last of goes here, where the driver may be called.
  void drop_held() noexcept {
    const std::lock_guard lock(busy_);
    if (must_stop()) return;
    Held* first = nullptr;
    {
      std::lock_guard queue(mutex_);
      first = std::exchange(held_, nullptr);
    }
    while (first) {
      const std::unique_ptr<Held> dropped(first);
      first = dropped->next;
    }
  }

  bool unload_ready() noexcept {
    bool any = false;
    for (Unload** at = &waiting_; *at && !must_stop();) {
      const std::unique_lock lock(busy_);
      if (must_stop()) return any;
      if (!is_ready(**at)) {
        at = &(*at)->next;
        continue;
      }
      const std::unique_ptr<Unload> done(*at);
      *at = done->next;
      any = true;
      const auto* cu = driver::cuda_if_available();
      if (cu) driver::check_release(cu->cuLibraryUnload(done->library), "unload object code");
      for (const Ref<StreamMark>& stream : done->streams) stream->give_back();
      cucore::log(LogLevel::DEBUG, "unloaded object code that nothing uses any more");
    }
    return any;
  }

  static bool is_ready(Unload& unload) noexcept {
    if (unload.captured) mark_streams(unload);
    if (unload.captured) return false;
    for (const Ref<StreamMark>& stream : unload.streams)
      if (!stream->is_complete()) return false;
    // Streams that are not ours may have gone, so they are never asked; all work of their context
    // is waited for instead.
    while (!unload.contexts.empty()) {
      if (!is_idle(*unload.contexts.back())) return false;
      unload.contexts.pop_back();
    }
    return true;
  }

  static bool is_idle(const Context& context) noexcept {
    if (context.is_gone()) return true;
    const auto* cu = driver::cuda_if_available();
    const driver::ContextGuard guard(context.native(), std::nothrow);
    return !cu || !guard || !is_capture_in_the_way(cu->cuCtxSynchronize());
  }

  std::mutex mutex_;  // guards the two queues
  std::condition_variable changed_;
  Unload* queue_ = nullptr;
  Held* held_ = nullptr;
  bool started_ = false;
  Unload* waiting_ = nullptr;  // the thread's own; in reach of leak checkers when it ends
  std::mutex busy_;            // held while the thread is inside the driver
  std::atomic<bool> exiting_{false};
};

}  // namespace

void mark_streams(Unload& unload) noexcept {
  using Marked = StreamMark::Marked;
  bool captured = false, unmarked = false;
  for (const Ref<StreamMark>& stream : unload.streams) {
    const Marked marked = stream->record();
    captured |= marked == Marked::CAPTURED;
    unmarked |= marked == Marked::UNMARKED;
  }
  unload.captured = captured;
  if (captured || !unmarked) return;
  for (const Ref<StreamMark>& stream : unload.streams) unload.contexts.push_back(stream->context());
}

void start_unloader() { Unloader::instance().start(); }

void unload_later(std::unique_ptr<Unload> unload) noexcept {
  Unloader::instance().add(std::move(unload));
}

void drop_later(std::unique_ptr<Held> held) noexcept { Unloader::instance().add(std::move(held)); }

}  // namespace cucore::core
