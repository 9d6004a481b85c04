// SPDX-License-Identifier: Apache-2.0
// What the driver loaded of an image: unloaded once nothing uses it any more, and nothing that was
// launched from it runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/objects/deferred_release.hpp"
#include "core/objects/stream.hpp"
#include "image/image.hpp"

namespace cucore::core {

// A library of the driver that is to be unloaded.
class Unload final : public DeferredRelease {
 public:
  void perform(const driver::CudaTable& cu) noexcept override;

  CUlibrary library = nullptr;
};

class LoadedImage final : public Object {
 public:
  // `what` is "load saxpy.cu (CUBIN for sm_90)"; the error carries the driver's own log. What is
  // loaded serves all devices that the image fits; `device` is the one that it is tried on.
  static Ref<LoadedImage> load(const void* image, const Device& device, const std::string& what,
                               std::vector<image::Symbol> symbols, bool may_print);

  LoadedImage(std::unique_ptr<Unload> unload, std::vector<image::Symbol> symbols, bool may_print)
      : unload_(std::move(unload)),
        native_(unload_->library),
        symbols_(std::move(symbols)),
        may_print_(may_print) {}

  CUlibrary native() const { return native_; }
  const std::vector<image::Symbol>& symbols() const { return symbols_; }

  // Null where there is no such kernel.
  CUkernel find_kernel(const char* lowered_name) const;

  // Launches on a stream that is not known are surrounded by record_use() and note_output(); a
  // stream is never known to code that may print. Costs one comparison.
  bool knows(const Stream& stream) const { return unload_->uses().contains(stream.mark_key()); }
  // The image is unloaded only after the stream's work.
  void record_use(const Stream& stream) const;
  // Waits for the stream end with the output of what was launched.
  void note_output(const Stream& stream) const {
    if (may_print_) stream.context()->output().note_launch();
  }

 private:
  ~LoadedImage() override;

  mutable std::unique_ptr<Unload> unload_;
  const CUlibrary native_;
  const std::vector<image::Symbol> symbols_;
  const bool may_print_;
};

}  // namespace cucore::core
