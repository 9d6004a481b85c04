// SPDX-License-Identifier: Apache-2.0
// Runs a program for the command, and passes signals on to it.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

namespace cucore::cli {

// While it lives, SIGTERM and SIGHUP do not end the command. They go to the program, which decides
// what they do. A signal that the command ignores, for example through nohup, stays ignored. A
// closed pipe is a failed write from then on.
class SignalsForProgram {
 public:
  SignalsForProgram();
  ~SignalsForProgram();
  SignalsForProgram(const SignalsForProgram&) = delete;
  SignalsForProgram& operator=(const SignalsForProgram&) = delete;

  // Returns the last of these signals; 0: none.
  int received() const;

 private:
  static constexpr std::array SIGNALS{SIGTERM, SIGHUP};
  std::array<struct sigaction, SIGNALS.size()> old_actions_{};
};

struct EndOfProgram {
  pid_t process;
  int exit_code;  // as of a shell
};

// Runs a program with these variables as its environment. Until its end the command ignores SIGINT
// and SIGQUIT, because the terminal sends them to the program too.
EndOfProgram run_program(std::vector<std::string> words, std::vector<std::string> variables);

}  // namespace cucore::cli
