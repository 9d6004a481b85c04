// SPDX-License-Identifier: Apache-2.0
// A library that replaces signal handlers as NVRTC's front end does, for the test that it cannot.
#include <csignal>

#define EXPORT extern "C" __attribute__((visibility("default")))

using Handler = void (*)(int);

EXPORT void take_by_signal(int number, Handler handler) {
  if (signal(number, SIG_IGN) != SIG_IGN) signal(number, handler);
}

EXPORT void take_by_sigaction(int number, Handler handler) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(number, &action, nullptr);
}

EXPORT Handler handler_of(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  return action.sa_handler;
}
