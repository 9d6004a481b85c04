// SPDX-License-Identifier: Apache-2.0
// A compile in another thread. The caller waits in slices, and its language handles signals between
// two of them. An abandoned compile continues, into the cache if it has one.
#pragma once

#include <cucore.h>

#include <memory>

#include "waiting.hpp"

namespace cucore::bind {

class Compiling {
 public:
  // cache: nullptr, or the cache that stores the object code.
  Compiling(cucore_program* program, cucore_cache* cache, cucore_code_type target,
            const char* const* names, size_t name_count);

  // Returns true once the compile is over; false after the time.
  bool wait(int64_t milliseconds) const;
  // The object code, once and only after the compile is over. Throws its Failure.
  cucore_objectcode* take(cucore_cache_outcome* outcome);

 private:
  class Compile;
  const std::shared_ptr<Compile> compile_;
  const Waiting waiting_;
};

}  // namespace cucore::bind
