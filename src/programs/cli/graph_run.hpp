// SPDX-License-Identifier: Apache-2.0
// The options --graph and --dot: a launch is captured into a graph, whose launches are compared
// with plain ones.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "distinct.hpp"
#include "launch.hpp"

namespace cucore::cli {

// Times in milliseconds, of all launches together, and the graph in the language of Graphviz.
struct LaunchTimes {
  std::uint32_t launches;
  float plain;
  float graph;
  std::string dot;
};

struct GraphFlags {
  std::string launches;  // "": no graph
  std::string dot_file;  // "": none

  void add_to(CLI::App& command);
  void add_files_to(FileUse& use) const;
  // Refuses a number below 1, and a file without a graph.
  void require_valid() const;
  bool enabled() const { return !launches.empty(); }
  // Whether the standard output is for the text of the graph.
  bool take_output() const { return dot_file == "-"; }

  // Launches the kernel once to load it, then plainly as often as requested, then as often by a
  // graph. The arrays begin with their content each time; at the end they contain the results of
  // the graph.
  LaunchTimes run(const Device& device, const Kernel& kernel, const LaunchShape& shape,
                  std::vector<Argument>& arguments) const;
  // Writes the file of --dot, if any.
  void write(const LaunchTimes& times) const;
};

}  // namespace cucore::cli
