// SPDX-License-Identifier: Apache-2.0
// The model of one launch in the command analyze: its options, its text and its JSON.
#pragma once

#include <cucore_perf.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "argument.hpp"
#include "json.hpp"
#include "launch.hpp"

namespace cucore::cli {

struct ModelRequest {
  std::string launch;  // "grid=64,block=256"; "": no model
  std::string kernel;
  std::vector<std::string> arguments;
  bool full = false;

  bool is_wanted() const { return !launch.empty(); }
  void add_to(CLI::App& command);
};

// One launch, as its options describe it.
class LaunchToModel {
 public:
  explicit LaunchToModel(const ModelRequest& request);

  const LaunchShape& shape() const { return shape_; }
  // Returns the models by the numbers of the kernels. The same kernel of several images has
  // several.
  struct Modelled {
    std::size_t kernel;
    std::string name;
    cucore_model_info info;
  };
  std::vector<Modelled> run(const cucore_analysis* analysis) const;
  // Returns the name of the kernel that is launched.
  std::string chosen_kernel(const cucore_analysis* analysis) const;

 private:
  const std::string kernel_;
  LaunchShape shape_{{1, 1, 1}, {1, 1, 1}, 0};
  Extent cluster_{0, 0, 0};
  std::vector<Argument> arguments_;  // arrays have no bytes
};

Json model_json(const cucore_model_info& info);
std::string model_text(const std::string& kernel, const cucore_model_info& info);

}  // namespace cucore::cli
