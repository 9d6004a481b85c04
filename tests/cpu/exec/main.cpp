// SPDX-License-Identifier: Apache-2.0
// Runs the executor's tests with the settings of the environment, as cuInit would.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cpu/exec/executor.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  cucore::cpu::Settings s;
  s.threads = 2;
  s.show_ptx = true;
  if (const char* threads = std::getenv("CUCORE_CPU_THREADS"))
    s.threads = unsigned(std::atoi(threads));
  if (const char* simd = std::getenv("CUCORE_CPU_SIMD"))
    for (cucore::cpu::Simd level :
         {cucore::cpu::Simd::BASELINE, cucore::cpu::Simd::AVX2, cucore::cpu::Simd::AVX512})
      if (std::string(simd) == cucore::cpu::simd_name(level)) s.simd = level;
  cucore::cpu::configure(s);
  return RUN_ALL_TESTS();
}
