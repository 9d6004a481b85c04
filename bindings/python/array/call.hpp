// SPDX-License-Identifier: Apache-2.0
// Calls functions of the C API without the interpreter's lock. Any operation may wait: another
// thread may evaluate, or the number of pending operations may be reached.
#pragma once

#include "errors.hpp"
#include "unlocked.hpp"

namespace cucore::bind::arrays {

// Returns false, with the exception set, if the call fails.
template <class Function, class... Arguments>
bool call(Function* function, Arguments... arguments) {
  cucore_error* error = nullptr;
  Unlocked unlocked;
  const cucore_status status = function(arguments..., &error);
  unlocked.lock();
  if (status == CUCORE_OK) [[likely]]
    return true;
  raise(Failure(status, error));
  return false;
}

}  // namespace cucore::bind::arrays
