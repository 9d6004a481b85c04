// A stream: work on a device that runs in order.
#pragma once

#include <memory>

#include "core/device.hpp"
#include "core/stream_mark.hpp"

namespace cucore::core {

class Event;

class Stream final : public Object {
 public:
  enum class Kind { OWNED, BORROWED, LEGACY, PER_THREAD };

  static Ref<Stream> create(const Device& device, bool nonblocking, int priority);
  static Ref<Stream> from_native(const Device& device, CUstream native);
  static Ref<Stream> default_stream(const Device& device, Kind kind);

  Stream(Ref<Context> context, CUstream native, Kind kind)
      : context_(std::move(context)),
        native_(native),
        kind_(kind),
        mark_(kind == Kind::OWNED ? make<StreamMark>(context_, native) : nullptr) {}

  const Device& device() const { return context_->device(); }
  const Ref<Context>& context() const { return context_; }
  CUstream native() const { return native_; }
  Kind kind() const { return kind_; }

  // A stream of our own tells the driver its context; the others take the thread's current one.
  bool needs_current_context() const { return kind_ != Kind::OWNED; }

  // How far it has come; null for streams that are not our own, which may go unseen.
  const Ref<StreamMark>& mark() const { return mark_; }
  // What tells streams apart for those who wait for them: the mark, else the context.
  const void* mark_key() const {
    return mark_ ? static_cast<const void*>(mark_.get()) : context_.get();
  }

  void synchronize() const;
  bool query() const;
  void wait(const Event& event) const;
  void wait(const Stream& other) const;

  // Throws unless the stream can be used for what lives on `device`.
  void require_usable() const { context_->require_alive("stream"); }
  void require_on(const Device& device, const char* what) const;

 private:
  ~Stream() override;
  std::string label() const;

  const Ref<Context> context_;
  const CUstream native_;
  const Kind kind_;
  const Ref<StreamMark> mark_;
};

}  // namespace cucore::core
