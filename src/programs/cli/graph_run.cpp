// SPDX-License-Identifier: Apache-2.0
#include "graph_run.hpp"

#include <cucore/capture.hpp>
#include <cucore/event.hpp>
#include <cucore/executable.hpp>
#include <cucore/graph.hpp>

#include "failure.hpp"
#include "files.hpp"

namespace cucore::cli {
namespace {

// Returns the time of so many calls, in milliseconds.
template <class Call>
float time_of(const Device& device, const Stream& stream, std::uint32_t count, Call launch_once) {
  const Event start = make_timed_event(device);
  const Event end = make_timed_event(device);
  start.record(stream);
  for (std::uint32_t i = 0; i < count; ++i) launch_once();
  end.record(stream);
  stream.synchronize();
  return Milliseconds(start.elapsed(end)).count();
}

}  // namespace

void GraphFlags::add_to(CLI::App& command) {
  command
      .add_option(
          "--graph", launches,
          "capture the launch into a graph, launch that N times, and print its time and that "
          "of N plain launches")
      ->type_name("N");
  command
      .add_option("--dot", dot_file,
                  "write the graph of --graph to a file, in the language of Graphviz")
      ->type_name("FILE");
}

void GraphFlags::add_files_to(FileUse& use) const {
  if (!dot_file.empty()) use.outputs.push_back(dot_file);
}

void GraphFlags::require_valid() const {
  if (enabled()) parse_side(launches, "--graph");
  if (!enabled() && !dot_file.empty())
    throw usage("--dot has no graph to write; add --graph N, the number of launches");
}

LaunchTimes GraphFlags::run(const Device& device, const Kernel& kernel, const LaunchShape& shape,
                            std::vector<Argument>& arguments) const {
  const std::uint32_t count = parse_side(launches, "--graph");
  const Stream stream = Stream::create(device);
  const DeviceArguments on_device(device, stream, arguments);
  const LaunchConfig config = config_of(shape);
  const auto launch_kernel = [&] {
    call(cucore_kernel_launch, kernel.get(), stream.get(), &config, on_device.values().data(),
         on_device.values().size());
  };
  launch_kernel();
  on_device.upload(stream, arguments);
  const float plain = time_of(device, stream, count, launch_kernel);
  on_device.upload(stream, arguments);
  stream.begin_capture();
  launch_kernel();
  const Graph graph = stream.end_capture();
  const Executable executable = Executable::create(graph);
  executable.upload(stream);
  const float repeated = time_of(device, stream, count, [&] { executable.launch(stream); });
  on_device.download(stream, arguments);
  stream.synchronize();
  return {count, plain, repeated, graph.dot()};
}

void GraphFlags::write(const LaunchTimes& times) const {
  if (!dot_file.empty()) write_file(dot_file, times.dot);
}

}  // namespace cucore::cli
