// SPDX-License-Identifier: Apache-2.0
// The language's own function that builds what is not in a cache. It runs on the thread that asked,
// inside the call: so it may be code of the language.
#pragma once

#include <cucore.h>

namespace cucore::bind {

class Builder {
 public:
  virtual ~Builder() = default;
  // A new reference; null if the function failed, whose exception is then kept here.
  virtual cucore_objectcode* build() = 0;
  // Makes the kept exception the language's pending one; the very object that was thrown.
  virtual void rethrow() = 0;
};

// The language's function threw: its exception comes out of the call, in the place of a Failure.
struct Raised {
  Builder* builder;
};

}  // namespace cucore::bind
