// SPDX-License-Identifier: Apache-2.0
#include "support/log.hpp"

#include <memory>

#include "capi/guard.hpp"
#include "support/concat.hpp"

namespace cucore::capi {
namespace {

static_assert(CUCORE_LOG_DEBUG == static_cast<int>(LogLevel::DEBUG));
static_assert(CUCORE_LOG_INFO == static_cast<int>(LogLevel::INFO));
static_assert(CUCORE_LOG_WARNING == static_cast<int>(LogLevel::WARNING));
static_assert(CUCORE_LOG_ERROR == static_cast<int>(LogLevel::ERROR));

// The user's receiver; its destroy runs once, however the receiver ends.
struct Receiver {
  cucore_log_fn fn;
  void* user_data;
  void (*destroy)(void*);

  Receiver(cucore_log_fn fn, void* user_data, void (*destroy)(void*)) noexcept
      : fn(fn), user_data(user_data), destroy(destroy) {}
  Receiver(Receiver&& other) noexcept
      : fn(other.fn), user_data(other.user_data), destroy(std::exchange(other.destroy, nullptr)) {}
  Receiver& operator=(Receiver&&) = delete;
  ~Receiver() {
    if (destroy) destroy(user_data);
  }
};

void forward(LogLevel level, const char* message, void* user_data) {
  const auto* receiver = static_cast<const Receiver*>(user_data);
  receiver->fn(static_cast<cucore_log_level>(level), message, receiver->user_data);
}

bool is_level(cucore_log_level level) {
  return level >= CUCORE_LOG_DEBUG && level <= CUCORE_LOG_ERROR;
}

void set_receiver(Receiver receiver, cucore_log_level least) {
  if (!is_level(least))
    throw Error(Status::INVALID_ARGUMENT,
                concat("least is ", static_cast<int>(least), ", not a cucore_log_level"));
  const LogFn fn = receiver.fn ? forward : nullptr;
  auto* kept = new Receiver(std::move(receiver));
  log_set_receiver(fn, static_cast<LogLevel>(least), kept,
                   [](void* gone) { delete static_cast<Receiver*>(gone); });
}

}  // namespace
}  // namespace cucore::capi

using namespace cucore::capi;

extern "C" {

CUCORE_API cucore_status cucore_log_set_callback(cucore_log_fn fn, cucore_log_level least,
                                                 void* user_data, void (*destroy)(void*),
                                                 cucore_error** error) {
  return guard(error, [&] { set_receiver({fn, user_data, destroy}, least); });
}

CUCORE_API void cucore_log_write(cucore_log_level level, const char* message) {
  if (message && is_level(level)) cucore::log(static_cast<cucore::LogLevel>(level), message);
}

CUCORE_API int32_t cucore_log_enabled(cucore_log_level level) {
  return is_level(level) && cucore::log_enabled(static_cast<cucore::LogLevel>(level));
}

}  // extern "C"
