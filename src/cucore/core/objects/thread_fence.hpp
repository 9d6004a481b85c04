// SPDX-License-Identifier: Apache-2.0
// A fence that one thread makes for all threads of the process, so that the others need none in
// operations that are frequent.
#pragma once

namespace cucore::core {

// Makes earlier stores of other threads visible here, and makes their later loads recent.
void fence_all_threads() noexcept;

}  // namespace cucore::core
