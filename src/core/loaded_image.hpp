// What the driver loaded of an image: unloaded once nothing uses it any more, and nothing that was
// launched from it runs.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "container/image.hpp"
#include "core/stream.hpp"
#include "core/unloader.hpp"

namespace cucore::core {

class LoadedImage final : public Object {
 public:
  // `what` is "load saxpy.cu (CUBIN for sm_90)"; the error carries the driver's own log. What is
  // loaded serves all devices that the image fits; `device` is the one that it is tried on.
  static Ref<LoadedImage> load(const void* image, const Device& device, const std::string& what,
                               std::vector<container::Symbol> symbols);

  LoadedImage(std::unique_ptr<Unload> unload, std::vector<container::Symbol> symbols)
      : unload_(std::move(unload)), native_(unload_->library), symbols_(std::move(symbols)) {}

  CUlibrary native() const { return native_; }
  const std::vector<container::Symbol>& symbols() const { return symbols_; }

  // Null where there is no such kernel.
  CUkernel find_kernel(const char* lowered_name) const;

  // Before each launch: the stream is waited for before this is unloaded. Costs one comparison
  // where the stream is known already.
  void note(const Stream& stream) const {
    const void* key = stream.mark_key();
    if (known_[slot(key)].load(std::memory_order_acquire) != key) [[unlikely]]
      note_new(stream);
  }

 private:
  static constexpr size_t SLOTS = 4;
  static size_t slot(const void* key) { return (reinterpret_cast<uintptr_t>(key) >> 6) % SLOTS; }
  ~LoadedImage() override;
  void note_new(const Stream& stream) const;
  void forget_finished() const;

  mutable std::mutex mutex_;  // guards the lists of unload_
  mutable std::unique_ptr<Unload> unload_;
  mutable size_t forget_at_ = 16;
  mutable std::array<std::atomic<const void*>, SLOTS> known_{};
  const CUlibrary native_;
  const std::vector<container::Symbol> symbols_;
};

}  // namespace cucore::core
