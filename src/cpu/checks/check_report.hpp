// SPDX-License-Identifier: Apache-2.0
// Builds and keeps the reports of a launch.
#pragma once

#include "cpu/checks/checks.hpp"

namespace cucore::cpu {

// Returns a report with the thread, the place, the address and its allocation.
Report access_report(Warp& w, const Op& op, const CheckedOp& checked, int lane, uint64_t address,
                     const char* space);
// Returns "block (0,0,0) thread (3,0,0)" for the number of a thread in its block.
std::string thread_name(const LaunchState& launch, const uint32_t (&block)[3], uint32_t thread);
// Keeps the first report of a key. Throws KernelFault if reports end launches.
void keep_report(LaunchChecks& launch, const LaunchChecks::Key& key, Report report);

}  // namespace cucore::cpu
