// SPDX-License-Identifier: Apache-2.0
// A kernel: its function in the driver, its parameters, and its requirements for a device.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/load/context_function.hpp"
#include "core/load/kernel_parameters.hpp"
#include "core/load/objectcode.hpp"
#include "image/image.hpp"
#include "support/keep_mark.hpp"

namespace cucore::core {

// A kernel in one loaded image, for one device. Layouts of parameters differ between architectures.
// The members that launches in captures and nodes of graphs need are first, in one line of the
// cache.
struct alignas(64) KernelImage {
  // Throws INVALID_CODE if the driver's parameters on `device` differ from those of the code.
  KernelImage(const ObjectCode& code, const LoadedImage& image, const std::string& name,
              CUkernel native, const Device& device);

  // Returns what the driver launches in a context that the caller accesses: the function, or else
  // the kernel.
  CUfunction launched_in(const Context& context) const noexcept {
    if (function.is_found_in(context)) [[likely]]
      return launched();
    return find_launched(context);
  }
  // The same without a search.
  CUfunction launched_if_found(const Context& context) const noexcept {
    return function.is_found_in(context) ? launched() : reinterpret_cast<CUfunction>(native);
  }
  // The same for a context in which the function is found.
  CUfunction launched() const noexcept {
    const CUfunction found = function.get();
    return found ? found : reinterpret_cast<CUfunction>(native);
  }

  mutable ContextFunction function;
  mutable KeepMark mark;   // of an owner that keeps the kernel, or the image
  ParameterSizes sizes;    // of `parameters`
  bool can_print = false;  // see LoadedImage
  // Null until a device uses it.
  mutable std::atomic<const Device*> device{nullptr};
  CUkernel native;
  const LoadedImage* image;  // kept alive by the kernel's code
  // nullopt if neither the code nor the driver has them.
  std::optional<std::vector<image::Parameter>> parameters;
  size_t parameter_bytes = 0;  // the end of the last parameter
  ParameterRoom room;          // for copies of the arguments
  bool is_compared = false;    // with the driver's parameters; launches need it

 private:
  KernelImage(const LoadedImage& image, CUkernel native, KernelParameters read);
  [[gnu::cold, gnu::noinline]] CUfunction find_launched(const Context& context) const noexcept;

  mutable std::atomic<uint8_t> launches_{0};  // without a function, as far as they are counted
};

class Kernel final : public Object {
 public:
  // `first` is the image loaded for `device`. `asked` is the user's name.
  Kernel(Ref<const ObjectCode> code, std::string name, std::string asked, const LoadedImage& first,
         CUkernel native, const Device& device);

  static Ref<Kernel> from_native(const Device& device, CUkernel native);

  const std::string& name() const { return name_; }  // in the code, "_Z4axpyIfEvT_PS0_"
  // For messages: the first requested name, "axpy<float>".
  const std::string& label() const { return label_; }
  const ObjectCode& code() const { return *code_; }
  const KernelImage& first() const { return first_; }

  // Returns the kernel for a context in which its function is found; null if that is not known.
  const KernelImage* found_in(const Context& context) const noexcept {
    if (first_.function.is_found_in(context)) [[likely]]
      return &first_;
    const auto* image =
        on_device_[static_cast<size_t>(context.device().ordinal())].load(std::memory_order_acquire);
    return image && image->function.is_found_in(context) ? image : nullptr;
  }
  // Returns the kernel for a device. The first call for a device loads the code's image for it and
  // compares the parameters with the driver's.
  const KernelImage& on(const Device& device) const {
    if (first_.device.load(std::memory_order_acquire) == &device) [[likely]]
      return first_;
    const auto* image =
        on_device_[static_cast<size_t>(device.ordinal())].load(std::memory_order_acquire);
    if (image) [[likely]]
      return *image;
    return find_on(device);
  }

  int attribute(int number, const Device& device) const;
  void set_attribute(int number, const Device& device, int value) const;

  // Allows this much dynamic shared memory for launches on the device; never lowers the limit.
  void allow_dynamic_shared(const Device& device, uint32_t bytes) const;

  int occupancy(const Device& device, int block_size, size_t dynamic_shared) const;
  void max_potential_block_size(const Device& device, size_t dynamic_shared, int limit,
                                int& min_grid_size, int& block_size) const;
  size_t available_dynamic_shared(const Device& device, int blocks, int block_size) const;

 private:
  ~Kernel() override;
  // In the current context, which must be the device's.
  CUfunction function_of(CUkernel native, const Device& device) const;
  const KernelImage& find_on(const Device& device) const;
  CUkernel native_in(const LoadedImage& image, const Device& device) const;

  const Ref<const ObjectCode> code_;
  const std::string name_, label_;
  const KernelImage first_;
  mutable std::mutex finding_;
  mutable std::vector<std::unique_ptr<const KernelImage>> others_;
  const std::unique_ptr<std::atomic<const KernelImage*>[]> on_device_;
  // Per device, the dynamic shared memory that launches may use; 0: not queried yet.
  const std::unique_ptr<std::atomic<uint32_t>[]> allowed_shared_;
  mutable std::mutex raising_;  // one thread at a time queries the bound and raises it
};

}  // namespace cucore::core
