// SPDX-License-Identifier: Apache-2.0
// Runs the executor's tests with the settings of the environment, as cuInit would. With
// CUCORE_CPU_COUNT=1 all launches are counted, which must change no result.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "cpu/counts/launch_trace.hpp"
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
  if (std::getenv("CUCORE_CPU_COUNT"))
    cucore::cpu::start_trace(std::make_shared<cucore::cpu::TraceCollector>(
        cucore::cpu::TraceOptions{.footprint = true, .max_launches = 1u << 20}));
  return RUN_ALL_TESTS();
}
