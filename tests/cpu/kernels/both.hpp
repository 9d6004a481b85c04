// SPDX-License-Identifier: Apache-2.0
// Code that is compiled twice, for this processor and by NVRTC: the results must be equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// NVRTC's copy has __host__ __device__ here.
#define HD

// BOTH(name, code): `code` defines `unsigned long long f(unsigned x, unsigned i)`; it may not
// contain preprocessor lines.
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
