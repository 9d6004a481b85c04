// SPDX-License-Identifier: Apache-2.0
// The profile of a whole program, in any language, which is not changed.
#pragma once

#include <string>
#include <vector>

namespace cucore::cli {

struct ProfiledProgram {
  std::vector<std::string> words;  // the program and its arguments
  std::string driver;              // for the program; "": as without the command
  std::string html, trace;         // files; "": none
  bool csv = false;

  // Runs the program with CUCORE_PROFILE, and shows the report.
  // @throws ProgramEnded always, except for failures of the command itself
  void run() const;
};

// The exit code of a program, which becomes that of the command.
struct ProgramEnded {
  int exit_code;
  int signal = 0;  // that the command has passed on, and by which it ends; 0: none
};

}  // namespace cucore::cli
