// SPDX-License-Identifier: Apache-2.0
// Exports all other names of the driver. Their callers pass arguments that these functions ignore,
// which the C calling conventions of all supported systems allow.
#include "cpu/driver/unsupported.hpp"

namespace {
enum Index : unsigned {
#define OTHER(name, base, version, per_thread) index_##name,
#include "cpu/driver/other_names.inc"
#undef OTHER
};
}  // namespace

extern "C" {
#define OTHER(name, base, version, per_thread)          \
  __attribute__((visibility("default"))) int name() {   \
    return cucore::cpu::unsupported_call(index_##name); \
  }
#include "cpu/driver/other_names.inc"
#undef OTHER
}
