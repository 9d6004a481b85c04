// SPDX-License-Identifier: Apache-2.0
#include "perf/cupti/cupti_failure.hpp"

#include <cctype>
#include <string_view>

#include "client/native.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

constexpr const char* INSTALL =
    "Install CUPTI of CUDA 13, or set CUCORE_CUPTI to the path of its library.";

const char* remedy_of(Status status) {
  switch (status) {
    case Status::LIBRARY_MISSING:
      return INSTALL;
    case Status::NOT_PERMITTED:
      return "Run as root, or load the driver's module with "
             "NVreg_RestrictProfilingToAdminUsers=0.";
    case Status::INVALID_STATE:
      return "End the other profiler.";
    case Status::UNSUPPORTED:
      return "Install CUPTI of CUDA 13, or use a device that it supports.";
    default:
      return "Use the times of events, which this report has.";
  }
}

// The message up to the remedy that it contains.
std::string_view reason_in(std::string_view message) {
  return message.substr(0, message.find("; "));
}

std::string sentence(std::string text) {
  if (!text.empty())
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text.ends_with('.') ? text : text + ".";
}

}  // namespace

CuptiFailure explain(const Error& error) {
  const char* const remedy = remedy_of(error.status());
  if (const auto* const call = dynamic_cast<const client::CallFailed*>(&error);
      call && call->cause())
    return {sentence(cucore_error_message(call->cause())), remedy};
  return {sentence(std::string(reason_in(error.message()))), remedy};
}

}  // namespace cucore::perf
