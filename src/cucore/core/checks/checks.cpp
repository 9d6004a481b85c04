// SPDX-License-Identifier: Apache-2.0
#include "core/checks/checks.hpp"

#include "core/objects/deferred_release.hpp"
#include "core/objects/idle_events.hpp"
#include "driver/check_sessions.hpp"
#include "driver/cuda.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/log.hpp"

namespace cucore::core {
namespace {

constexpr size_t SHOWN_REPORTS = 10;

const driver::CheckSessions& sessions() { return driver::require_check_sessions(driver::cuda()); }

template <class Function>
std::string text_of(Function read) {
  size_t length = 0;
  driver::check(read(nullptr, 0, &length), "read the reports of checks");
  for (;;) {
    std::string text(length + 1, '\0');
    driver::check(read(text.data(), text.size(), &length), "read the reports of checks");
    if (length >= text.size()) continue;  // new reports since the first call
    text.resize(length);
    return text;
  }
}

[[noreturn]] void throw_refusal(const driver::CheckSessions& device, CUresult result) {
  if (result == CUDA_ERROR_ILLEGAL_STATE)
    throw Error(Status::INVALID_STATE,
                "other checks are running; expected one checks object at a time; end the other "
                "checks first");
  if (result == CUDA_ERROR_INVALID_VALUE)
    throw Error(Status::INVALID_ARGUMENT, "cucore_checks_options." + text_of(device.reason));
  driver::fail(result, "start checks", {});
}

const char* or_null(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

// Buffers that wait for the end of work are not leaks.
void settle(const driver::CheckSessions& device, const char* what) {
  const CUresult waited = device.wait();
  if (waited == CUDA_ERROR_NOT_PERMITTED)
    throw Error(Status::NOT_PERMITTED, concat("cannot ", what,
                                              " in a host function of a stream; expected another "
                                              "thread"));
  driver::check(waited, what);
  perform_ready_releases();
}

std::string first_lines(const std::string& text, size_t count) {
  size_t end = 0;
  for (size_t i = 0; i < count && end < text.size(); ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end == 0 ? 0 : end - 1);
}

}  // namespace

Checks::Checks(Suppressions suppressions) : suppressions_(std::move(suppressions)) {
  read_.push_back(std::make_unique<CheckReports>());
}

Ref<Checks> Checks::start(ChecksOptions options) {
  const driver::CheckSessions& device = sessions();
  Ref<Checks> checks = make<Checks>(std::move(options.suppressions));
  settle(device, "start checks");
  // The device keeps a bounded number of reports, and stops launches at them.
  const std::string suppressions = checks->suppressions_.text();
  IdleEvents::pause(true);
  const driver::CheckSettings settings = {.size = sizeof(driver::CheckSettings),
                                          .checks = options.kinds.c_str(),
                                          .schedule = or_null(options.schedule),
                                          .faults = or_null(options.faults),
                                          .trace_file = or_null(options.trace_file),
                                          .stop = options.stop_at_report,
                                          .reserved = 0,
                                          .launch_instructions = options.launch_instructions,
                                          .launch_memory = options.launch_memory,
                                          .launch_output = options.launch_output,
                                          .suppressions = suppressions.c_str()};
  const CUresult result = device.begin_with(&settings);
  if (result != CUDA_SUCCESS) {
    if (result != CUDA_ERROR_ILLEGAL_STATE) IdleEvents::pause(false);
    throw_refusal(device, result);
  }
  checks->state_ = State::RUNNING;
  if (options.schedule == "random") checks->log_schedule();
  return checks;
}

// The device has chosen a seed. A process that ends early has it in its log.
void Checks::log_schedule() {
  query();
  log(LogLevel::INFO, concat("the checks run with the schedule ", last().schedule));
}

// Later checks can start whatever fails here.
Checks::~Checks() {
  const driver::CudaTable* cu = driver::cuda_if_available();
  if (state_ != State::RUNNING || driver::is_gone() || !cu || !cu->checks) return;
  driver::check_release(cu->checks->end(), "end checks");
  IdleEvents::pause(false);
}

void Checks::read_locked() {
  std::string json = text_of(sessions().json);
  if (json == last_json_) return;
  read_.push_back(std::make_unique<CheckReports>(parse_reports(json, suppressions_)));
  last_json_ = std::move(json);
}

size_t Checks::query() {
  std::lock_guard lock(mutex_);
  if (state_ != State::READ) read_locked();
  return read_.back()->reports.size();
}

// Both calls of the device wait for work, whose host functions may query this object. If the device
// has ended the checks and their reports could not be read, the next call reads them.
void Checks::end() {
  if (is_running()) settle(sessions(), "end checks");
  const std::lock_guard alone(ending_);
  if (is_running()) {
    const driver::CheckSessions& device = sessions();
    const CUresult ended = device.end();
    // Ended by an earlier call that failed.
    if (ended != CUDA_ERROR_ILLEGAL_STATE) driver::check(ended, "end checks");
    IdleEvents::pause(false);
    set_ended();
  }
  std::lock_guard lock(mutex_);
  if (state_ == State::ENDED) read_locked();
  state_ = State::READ;
}

void Checks::verify() {
  end();
  const CheckReports& all = last();
  if (all.reports.empty()) return;
  const size_t count = all.reports.size();
  std::string message =
      concat("the checks have ", counted(count, "report"),
             "; expected none; correct or suppress them:\n", first_lines(all.text, SHOWN_REPORTS));
  if (count > SHOWN_REPORTS) message += concat("\nand ", count - SHOWN_REPORTS, " more");
  throw Error(Status::CHECKS, std::move(message), all.text);
}

void Checks::set_ended() {
  std::lock_guard lock(mutex_);
  state_ = State::ENDED;
}

bool Checks::is_running() const {
  std::lock_guard lock(mutex_);
  return state_ == State::RUNNING;
}

const CheckReports& Checks::last() const {
  std::lock_guard lock(mutex_);
  return *read_.back();
}

}  // namespace cucore::core
