// SPDX-License-Identifier: Apache-2.0
#include "core/load/kernel.hpp"

#include <algorithm>

#include "core/objects/context_scope.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

KernelImage::KernelImage(const ObjectCode& code, const LoadedImage& image, const std::string& name,
                         CUkernel native, const Device& device)
    : KernelImage(image, native, read_parameters(code, image, name, native, device)) {}

KernelImage::KernelImage(const LoadedImage& image, CUkernel native, KernelParameters read)
    : can_print(image.can_print()),
      native(native),
      image(&image),
      parameters(std::move(read.list)),
      is_compared(read.is_compared) {
  if (parameters && !parameters->empty())
    parameter_bytes = parameters->back().offset + parameters->back().size;
  if (!parameters) return;
  for (const image::Parameter& parameter : *parameters)
    room.add(parameter.size, takes_addresses(parameter));
  sizes.set(*parameters, room);
}

// To find the function takes as long as some thirty launches gain by it, and a launch should be one
// call of the driver. So kernels that are launched a few times have none.
CUfunction KernelImage::find_launched(const Context& context) const noexcept {
  constexpr uint8_t FEW = 8;
  const uint8_t launches = launches_.load(std::memory_order_relaxed);
  if (launches == FEW)
    function.find(native, context);
  else
    launches_.store(launches + 1, std::memory_order_relaxed);
  return launched_if_found(context);
}

void ParameterSizes::set(const std::vector<image::Parameter>& parameters,
                         const ParameterRoom& room) {
  if (parameters.size() > MOST || room.bytes > MOST_BYTES) return;
  for (size_t i = 0; i < parameters.size(); ++i) {
    sizes[i] = static_cast<uint16_t>(parameters[i].size);
    are_narrow &= parameters[i].size - 1 < sizeof(uint64_t);
    addresses |= static_cast<uint16_t>(takes_addresses(parameters[i]) << i);
  }
  bytes = static_cast<uint16_t>(ParameterRoom::place_of(room.bytes, 1));
  count = static_cast<uint8_t>(parameters.size());
}

namespace {

// The driver's number of devices never changes.
size_t device_slots() {
  static const auto count = static_cast<size_t>(Device::count());
  return count;
}

}  // namespace

Kernel::Kernel(Ref<const ObjectCode> code, std::string name, std::string asked,
               const LoadedImage& first, CUkernel native, const Device& device)
    : code_(std::move(code)),
      name_(std::move(name)),
      label_(std::move(asked)),
      first_(*code_, first, name_, native, device),
      on_device_(new std::atomic<const KernelImage*>[device_slots()]()),
      allowed_shared_(new std::atomic<uint32_t>[device_slots()]()) {
  if (!first_.is_compared) return;
  on_device_[static_cast<size_t>(device.ordinal())].store(&first_, std::memory_order_relaxed);
  first_.device.store(&device, std::memory_order_relaxed);
}

Ref<Kernel> Kernel::from_native(const Device& device, CUkernel native) {
  if (!native)
    throw Error(Status::INVALID_ARGUMENT, "native is NULL; expected the CUkernel of a library");
  std::string name = "kernel";
  if (cuda().cuKernelGetName) {
    const PrimaryScope primary(device);  // ends before another one: a reset waits for it
    const char* known = nullptr;
    check(cuda().cuKernelGetName(&known, native), "read the name of a native kernel");
    name = known;
  }
  const Ref<LoadedImage> image = LoadedImage::borrow();
  return make<Kernel>(ObjectCode::of_loaded(image, name), name, name, *image, native, device);
}

CUkernel Kernel::native_in(const LoadedImage& image, const Device& device) const {
  if (first_.image == &image) return first_.native;
  const CUkernel native = image.find_kernel(name_.c_str());
  if (!native)
    throw Error(Status::NOT_FOUND, concat("kernel ", label_, " is not in the image of ",
                                          code_->label(), " for ", device.label()));
  return native;
}

// Each device has its own, because a function is of one context. One image may serve several
// devices, each with a separate layout.
const KernelImage& Kernel::find_on(const Device& device) const {
  const driver::RelaxedCaptures relaxed;  // the first launch may be captured
  const Ref<LoadedImage> image = code_->load(device);
  std::lock_guard lock(finding_);
  auto& slot = on_device_[static_cast<size_t>(device.ordinal())];
  if (const KernelImage* const other = slot.load(std::memory_order_acquire)) return *other;
  auto made =
      std::make_unique<const KernelImage>(*code_, *image, name_, native_in(*image, device), device);
  const bool is_first = !first_.device.load(std::memory_order_relaxed) &&
                        first_.image == made->image && first_.parameters == made->parameters;
  const KernelImage& found = is_first ? first_ : *others_.emplace_back(std::move(made));
  found.device.store(&device, std::memory_order_release);
  slot.store(&found, std::memory_order_release);
  return found;
}

Kernel::~Kernel() { code_->forget(*this); }

int Kernel::attribute(int number, const Device& device) const {
  int value = 0;
  const CUresult result = cuda().cuKernelGetAttribute(
      &value, static_cast<CUfunction_attribute>(number), on(device).native, device.native());
  if (result == CUDA_ERROR_INVALID_VALUE)
    throw Error(Status::INVALID_ARGUMENT,
                concat("attribute ", number, " of kernel ", label_, " is unknown to the driver of ",
                       device.label(),
                       "; expected a number of CUfunction_attribute in the manual of CUDA's driver "
                       "API"),
                {}, {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
  check(result, [&] {
    return concat("read attribute ", number, " of kernel ", label_, " on ", device.label());
  });
  return value;
}

void Kernel::set_attribute(int number, const Device& device, int value) const {
  check(cuda().cuKernelSetAttribute(static_cast<CUfunction_attribute>(number), value,
                                    on(device).native, device.native()),
        [&] {
          return concat("set attribute ", number, " of kernel ", label_, " on ", device.label(),
                        " to ", value);
        });
  if (number == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    allowed_shared_[static_cast<size_t>(device.ordinal())].store(0, std::memory_order_relaxed);
}

void Kernel::allow_dynamic_shared(const Device& device, uint32_t bytes) const {
  auto& allowed = allowed_shared_[static_cast<size_t>(device.ordinal())];
  if (bytes <= allowed.load(std::memory_order_acquire)) return;
  std::lock_guard lock(raising_);
  const auto now =
      static_cast<uint32_t>(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, device));
  if (bytes > now)
    set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, device, static_cast<int>(bytes));
  allowed.store(std::max(bytes, now), std::memory_order_release);
}

CUfunction Kernel::function_of(CUkernel native, const Device& device) const {
  CUfunction function = nullptr;
  check(cuda().cuKernelGetFunction(&function, native),
        [&] { return concat("load kernel ", label_, " on ", device.label()); });
  return function;
}

int Kernel::occupancy(const Device& device, int block_size, size_t dynamic_shared) const {
  const CUkernel native = on(device).native;
  const PrimaryScope primary(device);
  int blocks = 0;
  check(cuda().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of(native, device),
                                                           block_size, dynamic_shared),
        [&] {
          return concat("tell the occupancy of kernel ", label_, " with blocks of ", block_size);
        });
  return blocks;
}

void Kernel::max_potential_block_size(const Device& device, size_t dynamic_shared, int limit,
                                      int& min_grid_size, int& block_size) const {
  const CUkernel native = on(device).native;
  const PrimaryScope primary(device);
  check(
      cuda().cuOccupancyMaxPotentialBlockSize(
          &min_grid_size, &block_size, function_of(native, device), nullptr, dynamic_shared, limit),
      [&] { return concat("find the best block size of kernel ", label_); });
}

size_t Kernel::available_dynamic_shared(const Device& device, int blocks, int block_size) const {
  const CUkernel native = on(device).native;
  const PrimaryScope primary(device);
  size_t bytes = 0;
  check(cuda().cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function_of(native, device), blocks,
                                                       block_size),
        [&] {
          return concat("tell the dynamic shared memory left to kernel ", label_, " with ",
                        counted(blocks, "block"), " of ", block_size);
        });
  return bytes;
}

}  // namespace cucore::core
