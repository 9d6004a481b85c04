// SPDX-License-Identifier: Apache-2.0
// Checks for processes that a test has forked: a failure ends the process.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK_CU(expected, call)                                                      \
  do {                                                                                \
    int result = static_cast<int>(call);                                              \
    if (result != static_cast<int>(expected)) {                                       \
      std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, result); \
      std::_Exit(90);                                                                 \
    }                                                                                 \
  } while (0)
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
      std::_Exit(91);                                                          \
    }                                                                          \
  } while (0)
