// SPDX-License-Identifier: Apache-2.0
// CUCORE_PROFILE: a profile of the whole process, which libcucore-perf makes.
#pragma once

namespace cucore::driver {

// Opens libcucore-perf and starts the profile, if CUCORE_PROFILE is set and the process has no more
// rights than its user. Acts once per process. A failure is logged. Call without a lock.
void start_profile() noexcept;

}  // namespace cucore::driver
