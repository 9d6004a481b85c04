// SPDX-License-Identifier: Apache-2.0
// The destinations of the reports of CUCORE_CPU_CHECK: stderr, a file of JSON, and the exit code.
#pragma once

#include <string>
#include <string_view>

namespace cucore::cpu {

struct CheckOutput {
  std::string json_file;  // "": none; "%p" is the id of the process
  int exit_code = 0;      // of a process that ends well and has reports; 0: its own

  // Whether the file is new, or has reports of this user.
  static bool is_usable(std::string_view json_file);
  // Writes the new reports to stderr, and all of them to the file.
  void write() const;
};

}  // namespace cucore::cpu
