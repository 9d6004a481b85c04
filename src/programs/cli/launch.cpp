// SPDX-License-Identifier: Apache-2.0
// One timed launch: copies arrays to the device, runs the kernel, and copies them back.
#include "launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cucore/event.hpp>
#include <limits>

#include "failure.hpp"

namespace cucore::cli {
namespace {

std::uint32_t parse_side(std::string_view text, std::string_view option) {
  const std::size_t side = parse_count(text, option);
  if (side == 0 || side > std::numeric_limits<std::uint32_t>::max())
    throw usage(fmt::format("{} has the number {}; expected at least 1", option, text));
  return static_cast<std::uint32_t>(side);
}

Event make_timed_event(const Device& device) {
  EventOptions options;
  options.timing = true;
  return Event::create(device, options);
}

// Returns a device buffer for each array; a scalar has none.
std::vector<Buffer> upload(const Device& device, const Stream& stream,
                           const std::vector<Argument>& arguments) {
  std::vector<Buffer> buffers;
  for (const Argument& argument : arguments) {
    Buffer& buffer = buffers.emplace_back();
    if (!argument.is_array) continue;
    buffer = Buffer::create(device, argument.bytes.size(), stream);
    if (!argument.bytes.empty()) buffer.write(argument.bytes, stream);
  }
  return buffers;
}

void download(const std::vector<Buffer>& buffers, const Stream& stream,
              std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i] && !arguments[i].bytes.empty()) buffers[i].read(arguments[i].bytes, stream);
}

LaunchConfig config_of(const LaunchShape& shape) {
  LaunchConfig options;
  std::copy(shape.grid.begin(), shape.grid.end(), options.grid);
  std::copy(shape.block.begin(), shape.block.end(), options.block);
  options.dynamic_shared = shape.dynamic_shared;
  return options;
}

}  // namespace

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
  const std::vector<Buffer> buffers = upload(device, stream, arguments);
  const Event start = make_timed_event(device);
  const Event end = make_timed_event(device);
  std::vector<std::uint64_t> addresses(arguments.size());
  std::vector<cucore_argument> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    addresses[i] = buffers[i].address().value();
    values.push_back(buffers[i]
                         ? cucore_argument{&addresses[i], sizeof addresses[i]}
                         : cucore_argument{arguments[i].bytes.data(), arguments[i].bytes.size()});
  }
  const LaunchConfig config = config_of(shape);
  start.record(stream);
  // The number of arguments is that of the command line.
  call(cucore_kernel_launch, kernel.get(), stream.get(), &config, values.data(), values.size());
  end.record(stream);
  download(buffers, stream, arguments);
  stream.synchronize();
  return Milliseconds(start.elapsed(end)).count();
}

}  // namespace cucore::cli
