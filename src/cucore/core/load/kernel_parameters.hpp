// SPDX-License-Identifier: Apache-2.0
// The parameters of a kernel: those declared in the code, compared with those of the driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/load/loaded_image.hpp"

namespace cucore::core {

class ObjectCode;

struct KernelParameters {
  std::optional<std::vector<image::Parameter>> list;  // nullopt: not in the code or the driver
  bool is_compared = false;
};

// Whether the argument may be a buffer.
inline bool takes_addresses(const image::Parameter& parameter) {
  using image::ParameterClass;
  return parameter.size == sizeof(CUdeviceptr) &&
         (parameter.parameter_class == ParameterClass::POINTER ||
          parameter.parameter_class == ParameterClass::UNKNOWN);
}

// The memory for copies of the arguments of a launch.
struct ParameterRoom {
  // Returns where a copy goes if the copies before it end at `offset`.
  static constexpr size_t place_of(size_t offset, size_t size) {
    const size_t alignment = size > sizeof(uint64_t) ? GREATEST_ALIGNMENT : sizeof(uint64_t);
    return (offset + alignment - 1) & ~(alignment - 1);
  }
  void add(size_t size, bool is_buffer) {
    bytes = place_of(bytes, size) + size;
    buffers += is_buffer;
  }

  static constexpr size_t GREATEST_ALIGNMENT = 16;  // of a parameter
  size_t bytes = 0;                                 // of the values
  size_t buffers = 0;                               // the most of them that are buffers
};

// The sizes of the parameters of most kernels, for checks of launches that read no list.
struct ParameterSizes {
  static constexpr size_t MOST = 16, MOST_BYTES = 4096;

  // Has the sizes if there are at most MOST parameters of at most MOST_BYTES in all.
  void set(const std::vector<image::Parameter>& parameters, const ParameterRoom& room);
  // Whether the sizes are here, and as many as the arguments.
  bool are_for(size_t arguments) const { return arguments <= MOST && count == arguments; }
  bool takes_address(size_t index) const { return (addresses >> index & 1) != 0; }

  static constexpr uint8_t UNKNOWN = 0xff;
  uint8_t count = UNKNOWN;
  bool are_narrow = true;  // 1 to 8 bytes each
  uint16_t bytes = 0;      // of the room for copies of the values, a multiple of 8
  uint16_t addresses = 0;  // the bit of each parameter whose argument may be a buffer
  uint16_t sizes[MOST] = {};
};

// The driver copies the bytes of its own layout from the arguments of a launch, so a difference is
// an error: INVALID_CODE. They are not compared before a context receives the image, because the
// driver would have to load it; a launch needs compared ones.
KernelParameters read_parameters(const ObjectCode& code, const LoadedImage& image,
                                 const std::string& name, CUkernel native, const Device& device);

}  // namespace cucore::core
