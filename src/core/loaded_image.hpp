// What the driver loaded of an image: unloaded once nothing uses it any more.
#pragma once

#include <span>
#include <string>

#include "core/device.hpp"

namespace cucore::core {

class LoadedImage final : public Object {
 public:
  // `what` is "load saxpy.cu (CUBIN for sm_90)"; the error carries the driver's own log. What is
  // loaded serves all devices; `device` is the one that it is tried on.
  static Ref<LoadedImage> load(const void* image, const Device& device, const std::string& what);

  explicit LoadedImage(CUlibrary native) : native_(native) {}
  CUlibrary native() const { return native_; }

  // Null where there is no such kernel.
  CUkernel find_kernel(const char* lowered_name) const;

 private:
  ~LoadedImage() override;
  const CUlibrary native_;
};

}  // namespace cucore::core
