// SPDX-License-Identifier: Apache-2.0
// Accesses of one warp, as kernels of PTX. A GPU runs them below a profiler, and the CPU device
// counts them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cucore::cpu::accesses {

inline constexpr int THREADS = 32;
inline constexpr uint32_t ARRAY_BYTES = 48 << 10;  // that the accesses lie in

struct AccessCase {
  std::string access;                       // an argument of access_ptx()
  std::string pattern;                      // unlike that of other cases of the access
  uint32_t mask = ~0u;                      // of the lanes that access
  std::array<uint32_t, THREADS> offsets{};  // in bytes
};

std::vector<AccessCase> make_access_cases();

// Returns a module with the kernel "k" of an access. Its name has a space, an operation and the
// bytes per thread: "gld4" loads from global memory, "sst16" stores to shared memory. "gred4" and
// "gatom4" add to global memory, without and with a result. The parameters are the array in global
// memory, the offsets of the lanes, and the mask. Accesses to shared memory need ARRAY_BYTES of it.
//
// A kernel also loads its offsets, which is one request of 4 sectors. After a store to shared
// memory, all its threads load one word.
// @throws std::invalid_argument
std::string access_ptx(const std::string& access);

}  // namespace cucore::cpu::accesses
