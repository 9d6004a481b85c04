// SPDX-License-Identifier: Apache-2.0
// Converts Python's numbers to C's.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace cucore::bind {

// Returns whether the signed or the unsigned type represents it: PTX does not record the sign of a
// parameter.
template <class Signed>
bool is_within(long long number) {
  return number >= std::numeric_limits<Signed>::min() &&
         number <= std::numeric_limits<std::make_unsigned_t<Signed>>::max();
}

// Infinite if the number is too large.
inline uint16_t to_half(double number) {
  char bytes[2];
#if PY_VERSION_HEX >= 0x030b0000
  const int failed = PyFloat_Pack2(number, bytes, 1);
#else
  const int failed = _PyFloat_Pack2(number, reinterpret_cast<unsigned char*>(bytes), 1);
#endif
  if (failed) {
    PyErr_Clear();
    return 0x7c00;
  }
  uint16_t half = 0;
  std::memcpy(&half, bytes, sizeof half);
  return half;
}

inline bool is_infinite_half(uint16_t half) { return (half & 0x7fff) == 0x7c00; }

}  // namespace cucore::bind
