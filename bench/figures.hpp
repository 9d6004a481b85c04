// SPDX-License-Identifier: Apache-2.0
// Functions for the figures and the arguments of several benchmarks.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<long>(values.size() / 2));
  return values[values.size() / 2];
}

// Returns the time of this process and all of its threads.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
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
