// SPDX-License-Identifier: Apache-2.0
// The use of the arrays after a launch: print, write to files, compare.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "argument.hpp"
#include "report.hpp"

namespace cucore::cli {

// The expected content of an array.
struct Expectation {
  std::size_t index;
  std::vector<std::byte> bytes;  // one value for all elements, or one per element
  bool is_one_value;
  std::string file;  // file with the values; "": none
};

struct ResultRequest {
  std::size_t print_count = 0;
  std::vector<Indexed> outputs;
  std::vector<Expectation> expectations;
  double tolerance = 0;
  bool takes_output = false;  // the standard output is for one result alone

  // Keeps the standard output for one result: prints nothing else.
  void leave_output() {
    takes_output = true;
    print_count = 0;
  }
};

// Reads the options before anything runs, so that a typing error is reported immediately.
ResultRequest parse_results(const std::string& print, const std::vector<std::string>& outputs,
                            const std::vector<std::string>& expectations,
                            const std::string& tolerance, const std::vector<Argument>& arguments);

// Prints, writes and compares; throws a failure at the first difference. With --json it prints
// nothing and returns the arrays for the final object.
Json report_results(const ResultRequest& request, const std::vector<Argument>& arguments);

}  // namespace cucore::cli
