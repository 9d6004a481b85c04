// SPDX-License-Identifier: Apache-2.0
// The settings of the CPU device's executor in benchmarks.
#pragma once

#include <cstdlib>
#include <string>

#include "cpu/exec/executor.hpp"

namespace cucore::cpu {

// From CUCORE_CPU_THREADS, CUCORE_CPU_SIMD and CUCORE_CPU_COMPILE.
inline Settings read_settings() {
  Settings s;
  if (const char* threads = std::getenv("CUCORE_CPU_THREADS"))
    s.threads = unsigned(std::atoi(threads));
  if (const char* simd = std::getenv("CUCORE_CPU_SIMD")) {
    for (Simd level : {Simd::BASELINE, Simd::AVX2, Simd::AVX512})
      if (std::string(simd) == simd_name(level)) s.simd = level;
  }
  if (const char* compile = std::getenv("CUCORE_CPU_COMPILE")) s.compile = std::atoi(compile) != 0;
  return s;
}

}  // namespace cucore::cpu
