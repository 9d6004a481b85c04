// SPDX-License-Identifier: Apache-2.0
#include "program_run.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "failure.hpp"

namespace cucore::cli {
namespace {

constexpr int OF_SIGNALS = 128;  // a shell adds the number of the signal

// A handler can access only static storage.
volatile std::sig_atomic_t running_program = 0, received_signal = 0;  // NOLINT

void pass_on(int signal) {
  const int reason = errno;
  received_signal = signal;
  if (running_program != 0) kill(running_program, signal);
  errno = reason;
}

class IgnoredKeys {
 public:
  IgnoredKeys() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  ~IgnoredKeys() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }
  IgnoredKeys(const IgnoredKeys&) = delete;
  IgnoredKeys& operator=(const IgnoredKeys&) = delete;

 private:
  void (*const interrupt_)(int);
  void (*const quit_)(int);
};

// Without them, a signal during the start of the program would not reach it.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

pid_t start_program(std::vector<std::string>& words, std::vector<std::string>& variables) {
  const BlockedSignals blocked;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ}) sigaddset(&defaults, signal);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &blocked.before());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, words.front().c_str(), nullptr, &attributes,
                                   pointers_to(words).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  if (refused != 0)
    throw failed(fmt::format("cannot run {}: {}", words.front(), std::strerror(refused)),
                 Status::io);
  running_program = child;
  if (received_signal != 0) kill(child, received_signal);
  return child;
}

// Until the last call the number of the process belongs to the program, so that no signal reaches
// another process.
int wait_for(pid_t program, const std::string& name) {
  siginfo_t unused;
  while (waitid(P_PID, static_cast<id_t>(program), &unused, WEXITED | WNOWAIT) < 0)
    if (errno != EINTR)
      throw failed(fmt::format("lost {}: {}", name, std::strerror(errno)), Status::io);
  running_program = 0;
  int state = 0;
  while (waitpid(program, &state, 0) < 0)
    if (errno != EINTR)
      throw failed(fmt::format("lost {}: {}", name, std::strerror(errno)), Status::io);
  return WIFSIGNALED(state) ? OF_SIGNALS + WTERMSIG(state) : WEXITSTATUS(state);
}

}  // namespace

SignalsForProgram::SignalsForProgram() {
  received_signal = 0;
  std::signal(SIGPIPE, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = pass_on;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < SIGNALS.size(); ++i) {
    sigaction(SIGNALS[i], nullptr, &old_actions_[i]);
    if (old_actions_[i].sa_handler != SIG_IGN) sigaction(SIGNALS[i], &action, nullptr);
  }
}

SignalsForProgram::~SignalsForProgram() {
  for (std::size_t i = 0; i < SIGNALS.size(); ++i) sigaction(SIGNALS[i], &old_actions_[i], nullptr);
}

int SignalsForProgram::received() const { return received_signal; }

EndOfProgram run_program(std::vector<std::string> words, std::vector<std::string> variables) {
  const IgnoredKeys ignored;
  const pid_t program = start_program(words, variables);
  return {program, wait_for(program, words.front())};
}

}  // namespace cucore::cli
