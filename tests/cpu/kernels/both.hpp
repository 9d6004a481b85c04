// SPDX-License-Identifier: Apache-2.0
// Code that is compiled twice, for this processor and by NVRTC: what it computes must be the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The word that NVRTC's copy has for __host__ __device__.
#define HD

// BOTH(name, code): `code` defines `unsigned long long f(unsigned x, unsigned i)`; it may hold no
// lines of the preprocessor.
#define BOTH(name, ...) \
  namespace name {      \
  __VA_ARGS__           \
  }                     \
  const ::cucore::cpu::kernels::Registered registered_##name(#name, #__VA_ARGS__, &name::f);

namespace cucore::cpu::kernels {

struct Twin {
  std::string name, source;
  unsigned long long (*host)(unsigned x, unsigned i);
};

std::vector<Twin>& twins();

struct Registered {
  Registered(const char* name, const char* source, unsigned long long (*host)(unsigned, unsigned)) {
    twins().push_back({name, source, host});
  }
};

}  // namespace cucore::cpu::kernels
