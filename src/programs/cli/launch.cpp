// SPDX-License-Identifier: Apache-2.0
// One timed launch: copies arrays to the device, runs the kernel, and copies them back.
#include "launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "failure.hpp"
#include "handles.hpp"

namespace cucore::cli {
namespace {

std::uint32_t parse_side(std::string_view text, std::string_view option) {
  const std::size_t side = parse_count(text, option);
  if (side == 0 || side > std::numeric_limits<std::uint32_t>::max())
    throw usage(fmt::format("{} {}: each number is at least 1", option, text));
  return static_cast<std::uint32_t>(side);
}

Event make_timed_event(const cucore_device* device) {
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = 1;
  return make<Event>(cucore_event_create, device, &options);
}

// Returns a device buffer for each array; a scalar has none.
std::vector<Buffer> upload(const cucore_device* device, const cucore_stream* stream,
                           const std::vector<Argument>& arguments) {
  std::vector<Buffer> buffers;
  for (const Argument& argument : arguments) {
    Buffer& buffer = buffers.emplace_back();
    if (!argument.is_array) continue;
    buffer = make<Buffer>(cucore_buffer_create, device, argument.bytes.size(), stream);
    if (!argument.bytes.empty())
      call(cucore_buffer_write, buffer.get(), std::size_t{0}, argument.bytes.data(),
           argument.bytes.size(), stream);
  }
  return buffers;
}

void download(const std::vector<Buffer>& buffers, const cucore_stream* stream,
              std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i] && !arguments[i].bytes.empty())
      call(cucore_buffer_read, buffers[i].get(), std::size_t{0}, arguments[i].bytes.data(),
           arguments[i].bytes.size(), stream);
}

cucore_launch_options options_of(const LaunchShape& shape) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
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

float launch(const cucore_device* device, const cucore_kernel* kernel, const LaunchShape& shape,
             std::vector<Argument>& arguments) {
  const Stream stream = make<Stream>(cucore_stream_create, device, nullptr);
  const std::vector<Buffer> buffers = upload(device, stream.get(), arguments);
  const Event start = make_timed_event(device);
  const Event end = make_timed_event(device);
  std::vector<std::uint64_t> addresses(arguments.size());
  std::vector<cucore_argument> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    addresses[i] = cucore_buffer_address(buffers[i].get());
    values.push_back(buffers[i]
                         ? cucore_argument{&addresses[i], sizeof addresses[i]}
                         : cucore_argument{arguments[i].bytes.data(), arguments[i].bytes.size()});
  }
  const cucore_launch_options options = options_of(shape);
  call(cucore_event_record, start.get(), stream.get());
  call(cucore_kernel_launch, kernel, stream.get(), &options, values.data(), values.size());
  call(cucore_event_record, end.get(), stream.get());
  download(buffers, stream.get(), arguments);
  call(cucore_stream_synchronize, stream.get());
  float milliseconds = 0;
  call(cucore_event_elapsed, start.get(), end.get(), &milliseconds);
  return milliseconds;
}

}  // namespace cucore::cli
