// SPDX-License-Identifier: Apache-2.0
// One timed launch: copies arrays to the device, runs the kernel, and copies them back.
#pragma once

#include <array>
#include <cstdint>
#include <cucore/buffer.hpp>
#include <cucore/device.hpp>
#include <cucore/event.hpp>
#include <cucore/kernel.hpp>
#include <cucore/stream.hpp>
#include <string_view>
#include <vector>

#include "argument.hpp"

namespace cucore::cli {

using Extent = std::array<std::uint32_t, 3>;

struct LaunchShape {
  Extent grid;
  Extent block;
  std::uint32_t dynamic_shared;
};

// Opens the device of --device; a failure names the option.
Device open_device(std::int32_t number);

// Parses a number of at least 1; a usage failure names the option.
std::uint32_t parse_side(std::string_view text, std::string_view option);

// Parses "X[,Y[,Z]]"; a usage failure names the option.
Extent parse_extent(std::string_view text, std::string_view option);

// The arguments of a launch, with the arrays on the device.
class DeviceArguments {
 public:
  DeviceArguments(const Device& device, const Stream& stream,
                  const std::vector<Argument>& arguments);

  const std::vector<cucore_argument>& values() const { return values_; }
  // Copies the content of the arrays to the device again.
  void upload(const Stream& stream, const std::vector<Argument>& arguments) const;
  // Copies the arrays back.
  void download(const Stream& stream, std::vector<Argument>& arguments) const;

 private:
  std::vector<Buffer> buffers_;
  std::vector<std::uint64_t> addresses_;
  std::vector<cucore_argument> values_;  // these refer to the arguments and to addresses_
};

Event make_timed_event(const Device& device);

LaunchConfig config_of(const LaunchShape& shape);

// Launches and waits; the array arguments then contain the kernel's results. Returns the time of
// the kernel in milliseconds.
float launch(const Device& device, const Kernel& kernel, const LaunchShape& shape,
             std::vector<Argument>& arguments);

}  // namespace cucore::cli
