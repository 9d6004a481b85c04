// SPDX-License-Identifier: Apache-2.0
// Work of the cache in addition to the caller's: its failures do not concern the caller.
#pragma once

namespace cucore::cache {

// Returns false if the work fails, whether by its result or by an exception.
template <class Work>
bool quietly(Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    return false;
  }
}

}  // namespace cucore::cache
