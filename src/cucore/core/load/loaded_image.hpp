// SPDX-License-Identifier: Apache-2.0
// An image loaded by the driver. It is unloaded after its last use and the end of all work launched
// from it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/objects/deferred_release.hpp"
#include "core/objects/stream.hpp"
#include "image/image.hpp"

namespace cucore::core {

// A pending unload of a driver library.
class DeferredUnload final : public DeferredRelease {
 public:
  void perform(const driver::CudaTable& cu) noexcept override;

  CUlibrary library = nullptr;
};

class LoadedImage final : public Object {
 public:
  // `what` is "load saxpy.cu (CUBIN for sm_90)"; the error contains the driver's own log. The
  // loaded image serves all devices that it fits; `device` is the one that it is tried on. Machine
  // code that runs there is not entered yet.
  static Ref<LoadedImage> load(const image::Image& image, const Device& device,
                               const std::string& what);

  // Stands for an image of another owner, which is never unloaded. Its kernels may print.
  static Ref<LoadedImage> borrow();

  LoadedImage(std::unique_ptr<DeferredUnload> unload, std::vector<image::Symbol> symbols,
              bool may_print, bool is_entered)
      : deferred_unload_(std::move(unload)),
        native_(deferred_unload_->library),
        symbols_(std::move(symbols)),
        may_print_(may_print),
        is_entered_(is_entered) {}

  CUlibrary native() const { return native_; }
  const std::vector<image::Symbol>& symbols() const { return symbols_; }

  // Whether a context has received the image. Until then, nothing can be running from it.
  bool is_entered() const { return is_entered_.load(std::memory_order_acquire); }
  // Makes the device's context receive the image now.
  void enter(const Device& device, const std::string& what) const;

  // Returns null if no kernel has this name.
  CUkernel find_kernel(const char* lowered_name) const;

  // Launches on an unknown stream are surrounded by record_use() and record_output(); for code that
  // may print, every stream is unknown. Costs one comparison.
  bool knows(const Stream& stream) const {
    return deferred_unload_->uses().contains(stream.mark_key());
  }
  // The image is unloaded only after the stream's work.
  void record_use(const Stream& stream) const;
  bool can_print() const { return may_print_; }
  // Waits for the stream end with the output of the launched work.
  void record_output(const Stream& stream) const {
    if (may_print_) stream.context()->output().record_launch();
  }

 private:
  ~LoadedImage() override;

  mutable std::unique_ptr<DeferredUnload> deferred_unload_;
  const CUlibrary native_;
  const std::vector<image::Symbol> symbols_;
  const bool may_print_;
  mutable std::atomic<bool> is_entered_;
};

}  // namespace cucore::core
