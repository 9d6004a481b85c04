// SPDX-License-Identifier: Apache-2.0
#include "core/compile/default_arch.hpp"

#include <algorithm>
#include <vector>

#include "core/compile/nvrtc_program.hpp"
#include "core/objects/device.hpp"
#include "support/concat.hpp"
#include "support/descriptors.hpp"

namespace cucore::core {
namespace {

image::Arch lowest_of_nvrtc() {
  const std::vector<int> numbers = nvrtc_architectures();
  if (numbers.empty()) throw Error(Status::UNSUPPORTED, "NVRTC names no architecture; set arch");
  return {.number = static_cast<uint16_t>(std::ranges::min(numbers)), .is_virtual = true};
}

Ref<Device> first_device() {
  if (!driver::cuda_if_available()) {
    require_descriptors("look for a device");
    return nullptr;
  }
  if (Device::count() == 0) return nullptr;
  return Device::open(0);
}

}  // namespace

image::Arch default_arch(image::CodeType target) {
  const Ref<Device> device = first_device();
  const bool real = device && !device->is_emulated();
  if (target == image::CodeType::CUBIN && !real)
    throw Error(
        Status::INVALID_ARGUMENT,
        device ? concat("device 0 is the CPU device, which runs PTX and no machine code; "
                        "compile to PTX, or set arch (\"",
                        device->arch(), "\") for a GPU")
               : concat("a CUBIN is for one architecture and no device is available to take it "
                        "from; set arch, for instance \"sm_90\", or compile to PTX"));
  if (!device) return lowest_of_nvrtc();
  return {.number = device->capability(), .is_virtual = device->is_emulated()};
}

}  // namespace cucore::core
