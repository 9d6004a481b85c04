// SPDX-License-Identifier: Apache-2.0
// Threads of the library's own: no signal reaches them, captures of others do not bind them.
#pragma once

#include <functional>
#include <mutex>

namespace cucore::core {

// Starts a detached thread that runs body(argument). Throws OUT_OF_MEMORY where the process may
// have no more threads. `name` is what debuggers show: 15 characters at most.
void start_library_thread(const char* name, void (*body)(void*) noexcept, void* argument);

// Runs the work on such a thread, whose stack is at least 8 MiB, and waits for its end. Throws what
// the work throws.
void run_on_library_thread(const char* name, const std::function<void()>& work);

// To be called by the thread itself, once a driver is in use.
void relax_captures() noexcept;

// At exit, waits for what such a thread does or for a mutex: for so long that any call of the
// driver has returned, unless it hangs. Never longer, since the thread that is waited for may be
// stopped for ever: virtual machines suspend theirs before they exit. False, or no lock, if it was
// in vain.
bool wait_at_exit(const std::function<bool()>& is_done) noexcept;
std::unique_lock<std::mutex> lock_at_exit(std::mutex& busy) noexcept;

}  // namespace cucore::core
