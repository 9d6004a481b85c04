// SPDX-License-Identifier: Apache-2.0
// Blocks all signals of a thread for a while, so that the threads that it starts receive none: only
// the program's own threads handle signals.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace cucore {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace cucore
