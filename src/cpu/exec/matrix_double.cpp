// SPDX-License-Identifier: Apache-2.0
// Products of f64 matrices: a chain of fused operations per element, in the order of k.
#include <cmath>

#include "cpu/exec/host_rounding.hpp"
#include "cpu/exec/matrix_access.hpp"

namespace cucore::cpu {

void multiply_doubles(const DoubleProduct& p, ptx::Rounding rounding) {
  const HostRounding scope(rounding);
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned column = 0; column < p.n; ++column) {
      double sum = p.c[row * p.n + column];
      for (unsigned i = 0; i < p.k; ++i)
        sum = std::fma(p.a[row * p.k + i], p.b[i * p.n + column], sum);
      p.d[row * p.n + column] = sum;
    }
}

}  // namespace cucore::cpu
