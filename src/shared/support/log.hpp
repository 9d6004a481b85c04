// SPDX-License-Identifier: Apache-2.0
// The receiver of messages that no return value carries. Without a receiver, which the user sets,
// messages are dropped.
#pragma once

#include <string_view>

namespace cucore {

enum class LogLevel { DEBUG = 1, INFO = 2, WARNING = 3, ERROR = 4 };

using LogFn = void (*)(LogLevel level, const char* message, void* user_data);

// Replaces the receiver. The old receiver's destroy runs after its last call has returned.
void log_set_receiver(LogFn fn, LogLevel least, void* user_data, void (*destroy)(void*)) noexcept;

// Returns true if a receiver accepts messages of this level; call it before building a costly
// message.
bool log_enabled(LogLevel level) noexcept;

// Sends a message. Never throws and never prints; does nothing without a receiver.
void log(LogLevel level, std::string_view message) noexcept;

}  // namespace cucore
