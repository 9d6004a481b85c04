// SPDX-License-Identifier: Apache-2.0
// A compile in another thread: the caller waits in slices, and its language handles signals between
// two of them. A compile that nobody waits for goes on, into the cache if it has one.
#pragma once

#include <cucore.h>

#include <memory>

#include "waiting.hpp"

namespace cucore::bind {

class Compiling {
 public:
  // cache: nullptr, or the cache that keeps the object code.
  Compiling(cucore_program* program, cucore_cache* cache, cucore_code_type target,
            const char* const* names, size_t name_count);

  // True once the compile is over; false if the time is up before.
  bool wait(int64_t milliseconds) const;
  // The object code, once and only after the compile is over. Throws its Failure.
  cucore_objectcode* take(cucore_cache_outcome* outcome);

 private:
  class Compile;
  const std::shared_ptr<Compile> compile_;
  const Waiting waiting_;
};

}  // namespace cucore::bind
