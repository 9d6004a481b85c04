// SPDX-License-Identifier: Apache-2.0
#include "driver/kept_signals.hpp"

#include <csignal>

namespace cucore::driver {
namespace {

using Handler = void (*)(int);

// Reports every signal as ignored: the front end installs a handler only for signals that are not.
Handler keep_signal(int, Handler) { return SIG_IGN; }

int keep_sigaction(int signal, const struct sigaction*, struct sigaction* current) {
  return sigaction(signal, nullptr, current);
}

}  // namespace

std::span<const Import> signal_imports() noexcept {
  static const Import imports[] = {{"signal", reinterpret_cast<void*>(keep_signal)},
                                   {"sigaction", reinterpret_cast<void*>(keep_sigaction)}};
  return imports;
}

}  // namespace cucore::driver
