// Threads of the library's own: no signal reaches them, captures of others do not bind them.
#pragma once

#include <chrono>
#include <mutex>

namespace cucore::core {

// Starts a detached thread that runs body(argument). Throws OUT_OF_MEMORY where the process may
// have no more threads. `name` is what debuggers show: 15 characters at most.
void start_library_thread(const char* name, void (*body)(void*) noexcept, void* argument);

// To be called by the thread itself, once a driver is in use.
void relax_captures() noexcept;

// Locks the mutex that such a thread holds while it is inside the driver, at exit: for so long that
// any call has returned, unless it hangs. Empty if it does.
std::unique_lock<std::mutex> lock_at_exit(std::mutex& busy) noexcept;

}  // namespace cucore::core
