// SPDX-License-Identifier: Apache-2.0
// Where the library says what no return value can: one receiver that the user sets, else silence.
#pragma once

#include <string_view>

namespace cucore {

enum class LogLevel { DEBUG = 1, INFO = 2, WARNING = 3, ERROR = 4 };

using LogFn = void (*)(LogLevel level, const char* message, void* user_data);

// Replaces the receiver; the old one's destroy runs after its last call has returned.
void log_set_receiver(LogFn fn, LogLevel least, void* user_data, void (*destroy)(void*)) noexcept;

// True if a message of this level would reach somebody: ask before building a costly one.
bool log_enabled(LogLevel level) noexcept;

// Never throws, never prints; does nothing without a receiver.
void log(LogLevel level, std::string_view message) noexcept;

}  // namespace cucore
