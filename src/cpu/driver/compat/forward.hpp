// SPDX-License-Identifier: Apache-2.0
// Functions that pass their arguments on. All arguments of these libraries are integers or
// pointers, and none has more than eight. The C calling conventions of all supported systems then
// allow calls with more arguments than the function has.
#pragma once

#include <atomic>

#include "cpu/driver/compat/real_library.hpp"

namespace cucore::compat {

using Word = long;  // a register
using Function = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word);

// The address of one function, looked up at its first call.
class Slot {
 public:
  Function find(RealLibrary& library, const char* name) {
    void* known = address_.load(std::memory_order_acquire);
    if (!known) {
      known = library.function(name);
      address_.store(known, std::memory_order_release);
    }
    return reinterpret_cast<Function>(known);
  }

 private:
  std::atomic<void*> address_{nullptr};
};

}  // namespace cucore::compat

#define COMPAT_EXPORT extern "C" __attribute__((visibility("default")))

// Defines `name`, which calls the function of that name in `library`, or returns `missing`.
#define COMPAT_FORWARD(library, name, missing)                                              \
  COMPAT_EXPORT cucore::compat::Word name(cucore::compat::Word a, cucore::compat::Word b,   \
                                          cucore::compat::Word c, cucore::compat::Word d,   \
                                          cucore::compat::Word e, cucore::compat::Word f,   \
                                          cucore::compat::Word g, cucore::compat::Word h) { \
    static cucore::compat::Slot slot;                                                       \
    const auto function = slot.find(library, #name);                                        \
    return function ? function(a, b, c, d, e, f, g, h)                                      \
                    : static_cast<cucore::compat::Word>(missing);                           \
  }
