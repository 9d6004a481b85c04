// SPDX-License-Identifier: Apache-2.0
// Section "Log" of cucore.h. The messages are stored until a thread of the language takes them;
// cpp/log_receiver.hpp has the reason. Each language has a callback on top, called from a separate
// thread.

/** The library's messages, one after another, while it is the last receiver made. */
struct LogReceiver {
  %extend {
    //: cucore_log_set_callback
    LogReceiver(cucore_log_level least) { return new LogReceiver(least); }
    ~LogReceiver() { delete $self; }

    /** Moves on to the next message: returns whether one arrived before the time is up. */
    bool next(int timeout_ms) { return $self->next(timeout_ms); }
    /** Ends the messages; a next() that waits ends. */
    void stop() { $self->stop(); }

    %immutable;
    /** The level of the message that next() moved to. */
    cucore_log_level level;
    /** The text of the message that next() moved to. */
    const char *message;
    /** Whether no more messages come: it was stopped, or a later receiver replaced it. */
    bool stopped;
    %mutable;
  }
};
%{
static cucore_log_level LogReceiver_level_get(LogReceiver *receiver) { return receiver->current().level; }
static const char *LogReceiver_message_get(LogReceiver *receiver) { return receiver->current().text.c_str(); }
static bool LogReceiver_stopped_get(LogReceiver *receiver) { return receiver->stopped(); }
%}
%inline %{
//: cucore_log_write
void log_write(cucore_log_level level, const char *message) { cucore_log_write(level, message); }
//: cucore_log_enabled
bool log_enabled(cucore_log_level level) { return cucore_log_enabled(level) != 0; }
%}
