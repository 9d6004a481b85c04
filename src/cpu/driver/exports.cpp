// SPDX-License-Identifier: Apache-2.0
// Exports the implemented driver functions; each calls its implementation through the wrapper.
#include "cpu/driver/api.hpp"
#include "cpu/driver/calls.hpp"

#define CUCPU_EXPORT __attribute__((visibility("default")))
#define CUCPU_UNPACK(...) __VA_OPT__(, ) __VA_ARGS__

extern "C" {
#define ENTRY(needs, name, base, version, params, args)                 \
  CUCPU_EXPORT CUresult CUDAAPI name params {                           \
    return cucore::cpu::call(cucore::cpu::CallId::name, false,          \
                             cucore::cpu::api::name CUCPU_UNPACK args); \
  }
#define PER_THREAD(needs, name, impl, base, version, params, args)      \
  CUCPU_EXPORT CUresult CUDAAPI name params {                           \
    return cucore::cpu::call(cucore::cpu::CallId::impl, true,           \
                             cucore::cpu::api::impl CUCPU_UNPACK args); \
  }
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
}
