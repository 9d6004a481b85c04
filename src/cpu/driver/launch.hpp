// SPDX-License-Identifier: Apache-2.0
// Converts the caller's arguments of a launch to a job in the stream.
#pragma once

#include <memory>
#include <vector>

#include "cpu/driver/event.hpp"
#include "cpu/driver/library.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu {

struct LaunchRequest {
  unsigned grid[3] = {};
  unsigned block[3] = {};
  unsigned shared = 0;
  unsigned cluster[3] = {0, 0, 0};  // 0: not set
  bool explicit_cluster = false;    // the launch or the kernel has set it
  bool cooperative = false;
  std::vector<std::shared_ptr<Event>> events;  // recorded after the kernel
};

// Reads the attributes of cuLaunchKernelEx; attributes without an effect are checked and ignored.
void apply_attributes(LaunchRequest& request, const CUlaunchAttribute* attributes, unsigned count);

// A launch whose limits are checked. It keeps the code and the parameters.
struct PreparedLaunch {
  std::shared_ptr<Function> function;
  std::shared_ptr<const std::vector<std::byte>> parameters;
  Launch launch;
};
std::vector<std::byte> pack_parameters(const KernelInfo& info, void** parameters, void** extra);
PreparedLaunch prepare_launch(const std::shared_ptr<Function>& function, LaunchRequest request,
                              std::vector<std::byte> parameters);
// Runs in a job; a fault poisons the context of the function.
void run_launch(const PreparedLaunch& prepared);

// Checks every limit, copies the parameters and submits.
void launch(const std::shared_ptr<Function>& function, LaunchRequest request, Stream& stream,
            void** parameters, void** extra);

}  // namespace cucore::cpu
