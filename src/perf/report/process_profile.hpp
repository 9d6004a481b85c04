// SPDX-License-Identifier: Apache-2.0
// CUCORE_PROFILE: a profile from the driver's first use until the process ends.
#pragma once

namespace cucore::perf {

// Starts the profile and lets the exit of the process write its file. Does nothing without the
// variable, and at later calls. A failure is also logged, because libcucore ignores it.
// @throws Error INVALID_ARGUMENT if the file has no ending of a format
void start_process_profile();

}  // namespace cucore::perf
