// SPDX-License-Identifier: Apache-2.0
// A stream: ordered work on a device.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "core/objects/capture_gate.hpp"
#include "core/objects/device.hpp"
#include "core/objects/stream_blocks.hpp"
#include "core/objects/stream_mark.hpp"

namespace cucore::core {

class Event;

struct StreamTraits {
  int priority = 0;
  bool is_nonblocking = false;
};

class alignas(64) Stream final : public Object {
 public:
  enum class Kind { OWNED, BORROWED, LEGACY, PER_THREAD };

  static Ref<Stream> create(const Device& device, bool nonblocking, int priority);
  static Ref<Stream> from_native(const Device& device, CUstream native);
  static Ref<Stream> default_stream(const Device& device, Kind kind);

  Stream(Ref<Context> context, CUstream native, Kind kind, StreamTraits traits = {})
      : context_(std::move(context)),
        native_(native),
        device_(context_->device()),
        mark_(kind == Kind::OWNED ? make<StreamMark>(context_, native) : nullptr),
        kind_(kind),
        may_be_captured_(kind == Kind::BORROWED || kind == Kind::PER_THREAD),
        is_shared_(kind != Kind::OWNED),
        traits_(traits),
        blocks_(native) {}

  const Device& device() const { return device_; }
  const Ref<Context>& context() const { return context_; }
  CUstream native() const { return native_; }
  // For the program, which may use it in any way.
  CUstream hand_out() const {
    share();
    may_be_captured_.store(true);
    if (kind_ == Kind::OWNED) free_blocks();
    return native_;
  }
  // Returns whether launches may go into a graph. Only the program can begin a capture, with a
  // native handle, and add other streams to it with events.
  bool may_be_captured() const { return may_be_captured_.load(std::memory_order_relaxed); }
  // For a capture that the library begins.
  void let_capture() const;
  // A capture takes the stream, or no capture has it any longer. The caller has hold_records().
  // Work of an uncaptured stream queries the driver no longer, unless other code may capture the
  // stream.
  void note_captured() const { may_be_captured_.store(true); }
  void note_uncaptured() const;
  // The library's capture that this object has begun last; see CaptureSession. 0: none.
  uint64_t begun_capture() const { return begun_capture_.load(std::memory_order_relaxed); }
  void note_capture(uint64_t id) const { begun_capture_.store(id, std::memory_order_relaxed); }
  // Leads to the capture that begun_capture() names; made by let_capture().
  CaptureGate& capture_gate() const { return *gate_.get(); }
  // The same, or null if other code may have begun or ended a capture of the stream.
  const CaptureGate* own_capture_gate() const {
    return begun_capture() != 0 && !is_shared() ? gate_.get() : nullptr;
  }
  // The gate of an own capture of a stream that needs no current context. Null if that is not
  // certain. The capture may have ended.
  CaptureGate* plain_capture_gate() const {
    return kind_ == Kind::OWNED && !is_shared() ? gate_.get() : nullptr;
  }
  // Held while a capture of the stream begins or ends, and during a free in its order; see
  // StreamMark::hold().
  std::unique_lock<std::mutex> hold_records() const {
    return mark_ ? mark_->hold() : std::unique_lock<std::mutex>();
  }
  // Queries the driver if the stream may be captured.
  bool is_capturing() const;
  Kind kind() const { return kind_; }
  const StreamTraits& traits() const { return traits_; }

  // Returns whether other code may have added work to it, or work that it waits for. The program
  // may, with the native handle, and other libraries on default streams.
  bool is_shared() const { return is_shared_.load(std::memory_order_relaxed); }

  // A stream of the library implies its context; the others use the thread's current one.
  bool needs_current_context() const { return kind_ != Kind::OWNED; }

  // The same for all objects of a native stream. The default streams of each device have the same
  // native value, less than any address.
  uint64_t identity() const {
    const auto value = reinterpret_cast<uintptr_t>(native_);
    const bool is_default = kind_ == Kind::LEGACY || kind_ == Kind::PER_THREAD;
    return is_default ? value + 4 * static_cast<uint64_t>(device().ordinal()) : value;
  }

  // The driver's unique number of the stream; for a per-thread default stream, that of the calling
  // thread.
  uint64_t id() const;
  // The same, or nothing for a captured stream, and for the legacy one during a capture.
  std::optional<uint64_t> id_outside_capture() const;

  // Its progress; null for streams that are not the library's, whose end may be unnoticed.
  const Ref<StreamMark>& mark() const { return mark_; }

  // Released blocks of pools, for the next buffers of the stream.
  StreamBlocks& blocks() const { return blocks_; }

  // The identity of a stream for waits: the mark, else the context.
  const void* mark_key() const {
    return mark_ ? static_cast<const void*>(mark_.get()) : context_.get();
  }

  void synchronize() const;
  bool query() const;
  void wait(const Event& event) const;
  // In a capture: adds a node that waits for the event at each launch.
  void wait_in_graph(const Event& event) const;
  void wait(const Stream& other) const;

  // Throws unless the stream can be used with objects on `device`.
  void require_usable() const { context_->require_alive("stream"); }
  void require_on(const Device& device, const char* what) const;
  std::string label() const;  // "a stream of device 0"

 private:
  ~Stream() override;
  // Makes a call of the driver with this stream. Needs a ContextAccess.
  template <class Call>
  CUresult call(Call&& call) const;
  CUresult write_output(uint64_t launches) const;
  // Throws INVALID_STATE if the stream is captured. Returns the fault of a broken context, which
  // the caller reports after it has written the output of the kernels.
  CUresult refuse(const char* action) const;

  CUresult find_id(unsigned long long& id) const;

  // Keeps no blocks from now on.
  void free_blocks() const noexcept;
  void share() const { is_shared_.store(true); }

  // Returns what the wait makes of the stream; throws if it would break a capture.
  enum class Wait { NOTHING, PLAIN, FORK };
  Wait check_wait(const Event& event) const;

  // Launches use the members before gate_, which are in one line of the cache.
  const Ref<Context> context_;
  const CUstream native_;
  const Device& device_;
  const Ref<StreamMark> mark_;
  const Kind kind_;
  mutable std::atomic<bool> may_be_captured_;
  mutable std::atomic<bool> is_shared_;
  mutable OptionalGate gate_;
  const StreamTraits traits_;
  mutable std::atomic<uint64_t> begun_capture_{0};
  mutable OutputMark output_;
  mutable StreamBlocks blocks_;
  static constexpr uint64_t UNKNOWN = UINT64_MAX;
  mutable std::atomic<uint64_t> id_{UNKNOWN};  // of a stream that is the same for all threads
};

}  // namespace cucore::core
