// SPDX-License-Identifier: Apache-2.0
// Functions for the figures and the arguments of several benchmarks.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<long>(values.size() / 2));
  return values[values.size() / 2];
}

// Takes an option of our own, "--ratio_limit=", out of the arguments; negative without it.
inline double take_limit(const char* option, int& argc, char** argv) {
  double limit = -1;
  int kept = 0;
  for (int i = 0; i < argc; ++i)
    if (std::strncmp(argv[i], option, std::strlen(option)) == 0)
      limit = std::atof(argv[i] + std::strlen(option));
    else
      argv[kept++] = argv[i];
  argc = kept;
  return limit;
}
