// SPDX-License-Identifier: Apache-2.0
// The language's function that builds a result that is not in a cache. It runs on the calling
// thread, inside the call, so it may be code of the language.
#pragma once

#include <cucore.h>

namespace cucore::bind {

class Builder {
 public:
  virtual ~Builder() = default;
  // Returns a new reference; null if the function failed, whose exception is then stored here.
  virtual cucore_objectcode* build() = 0;
  // Raises the stored exception in the language: the same object that was thrown.
  virtual void rethrow() = 0;
};

// The language's function threw an exception, which replaces the Failure of the call.
struct Raised {
  Builder* builder;
};

}  // namespace cucore::bind
