// SPDX-License-Identifier: Apache-2.0
// One timed launch: copies arrays to the device, runs the kernel, and copies them back.
#include "launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "failure.hpp"

namespace cucore::cli {
namespace {

// Returns a device buffer for each array; a scalar has none.
std::vector<Buffer> buffers_for(const Device& device, const Stream& stream,
                                const std::vector<Argument>& arguments) {
  std::vector<Buffer> buffers;
  for (const Argument& argument : arguments) {
    Buffer& buffer = buffers.emplace_back();
    if (argument.is_array) buffer = Buffer::create(device, argument.bytes.size(), stream);
  }
  return buffers;
}

}  // namespace

Device open_device(std::int32_t number) {
  try {
    return Device::open(number);
  } catch (const InvalidArgumentError& error) {
    throw Failure(error).about(fmt::format("--device {}", number));
  }
}

std::uint32_t parse_side(std::string_view text, std::string_view option) {
  const std::size_t side = parse_count(text, option);
  if (side == 0 || side > std::numeric_limits<std::uint32_t>::max())
    throw usage(fmt::format("{} has the number {}; expected 1 to 4294967295", option, text));
  return static_cast<std::uint32_t>(side);
}

Event make_timed_event(const Device& device) {
  EventOptions options;
  options.timing = true;
  return Event::create(device, options);
}

LaunchConfig config_of(const LaunchShape& shape) {
  LaunchConfig options;
  std::copy(shape.grid.begin(), shape.grid.end(), options.grid);
  std::copy(shape.block.begin(), shape.block.end(), options.block);
  options.dynamic_shared = shape.dynamic_shared;
  return options;
}

DeviceArguments::DeviceArguments(const Device& device, const Stream& stream,
                                 const std::vector<Argument>& arguments)
    : buffers_(buffers_for(device, stream, arguments)), addresses_(arguments.size()) {
  upload(stream, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    addresses_[i] = buffers_[i].address().value();
    values_.push_back(buffers_[i]
                          ? cucore_argument{&addresses_[i], sizeof addresses_[i]}
                          : cucore_argument{arguments[i].bytes.data(), arguments[i].bytes.size()});
  }
}

void DeviceArguments::upload(const Stream& stream, const std::vector<Argument>& arguments) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i] && !arguments[i].bytes.empty()) buffers_[i].write(arguments[i].bytes, stream);
}

void DeviceArguments::download(const Stream& stream, std::vector<Argument>& arguments) const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i] && !arguments[i].bytes.empty()) buffers_[i].read(arguments[i].bytes, stream);
}

Extent parse_extent(std::string_view text, std::string_view option) {
  Extent extent{1, 1, 1};
  std::size_t begin = 0;
  for (std::size_t side = 0; begin <= text.size(); ++side) {
    if (side == extent.size())
      throw usage(fmt::format("{} {}: at most three numbers, X,Y,Z", option, text));
    const std::size_t end = std::min(text.find(',', begin), text.size());
    extent[side] = parse_side(text.substr(begin, end - begin), option);
    begin = end + 1;
  }
  return extent;
}

float launch(const Device& device, const Kernel& kernel, const LaunchShape& shape,
             std::vector<Argument>& arguments) {
  const Stream stream = Stream::create(device);
  const DeviceArguments on_device(device, stream, arguments);
  const Event start = make_timed_event(device);
  const Event end = make_timed_event(device);
  const LaunchConfig config = config_of(shape);
  start.record(stream);
  // The number of arguments is that of the command line.
  call(cucore_kernel_launch, kernel.get(), stream.get(), &config, on_device.values().data(),
       on_device.values().size());
  end.record(stream);
  on_device.download(stream, arguments);
  stream.synchronize();
  return Milliseconds(start.elapsed(end)).count();
}

}  // namespace cucore::cli
