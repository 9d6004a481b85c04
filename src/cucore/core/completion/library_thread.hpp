// SPDX-License-Identifier: Apache-2.0
// Threads of the library: they receive no signals, and captures of other threads do not restrict
// them.
#pragma once

#include <functional>
#include <mutex>

namespace cucore::core {

// Starts a detached thread that runs body(argument). Throws OUT_OF_MEMORY if the process cannot
// have another thread. Debuggers show `name`, of at most 15 characters.
void start_library_thread(const char* name, void (*body)(void*) noexcept, void* argument);

// Runs the work on such a thread, with a stack of at least 8 MiB, and waits for its end. Throws the
// work's exception.
void run_on_library_thread(const char* name, const std::function<void()>& work);

// The thread itself must call it, once a driver is in use.
void relax_captures() noexcept;

// At exit, waits for the work of such a thread or for a mutex, long enough for any driver call to
// return unless it hangs. The wait is bounded, because the awaited thread may be stopped forever:
// virtual machines suspend theirs before they exit. Returns false, or no lock, after the time
// limit.
bool wait_at_exit(const std::function<bool()>& is_done) noexcept;
std::unique_lock<std::mutex> lock_at_exit(std::mutex& busy) noexcept;

}  // namespace cucore::core
