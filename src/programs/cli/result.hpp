// SPDX-License-Identifier: Apache-2.0
// What is done with the arrays after a launch: print, write to files, compare.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "argument.hpp"
#include "report.hpp"

namespace cucore::cli {

// What an array is to hold afterwards.
struct Expectation {
  std::size_t index;
  std::vector<std::byte> bytes;  // one value for every element, or one for each
  bool is_one_value;
  std::string file;  // that the values are read from; "" if none
};

struct ResultRequest {
  std::size_t print_count = 0;
  std::vector<Indexed> outputs;
  std::vector<Expectation> expectations;
  double tolerance = 0;
  bool takes_output = false;  // an array goes to the standard output
};

// Reads the options; done before anything runs, so that a typing error costs nothing.
ResultRequest parse_results(const std::string& print, const std::vector<std::string>& outputs,
                            const std::vector<std::string>& expectations,
                            const std::string& tolerance, const std::vector<Argument>& arguments);

// Prints, writes and compares; throws a failure at the first difference. With --json nothing is
// printed: the arrays come back as what is to be printed once all has gone well.
Json report_results(const ResultRequest& request, const std::vector<Argument>& arguments);

}  // namespace cucore::cli
