// SPDX-License-Identifier: Apache-2.0
#include "fakes/fake_calls.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace fake {

Calls& calls() {
  static auto* calls = new Calls;
  return *calls;
}

void Calls::reset() {
  std::lock_guard lock(mutex_);
  counts_.clear();
  delays_.clear();
  failures_.clear();
  log_.clear();
  violations_.clear();
  total_.store(0);
  last_failed_.store("");
  logging_.store(true);
}

void Calls::fail(const char* name, uint64_t nth, int32_t result) {
  std::lock_guard lock(mutex_);
  failures_.push_back({name ? name : "", std::this_thread::get_id(), nth, result});
}

bool Calls::failures_used() {
  std::lock_guard lock(mutex_);
  return failures_.empty();
}

void Calls::forget_failures() {
  std::lock_guard lock(mutex_);
  failures_.clear();
}

void Calls::delay(const char* name, uint32_t milliseconds) {
  std::lock_guard lock(mutex_);
  delays_[name] = milliseconds;
}

uint64_t Calls::count(const char* name) {
  std::lock_guard lock(mutex_);
  const auto found = counts_.find(name);
  return found == counts_.end() ? 0 : found->second;
}

uint64_t Calls::log_size() {
  std::lock_guard lock(mutex_);
  return log_.size();
}

const char* Calls::log_at(uint64_t index) {
  std::lock_guard lock(mutex_);
  return index < log_.size() ? log_[index] : "";
}

void Calls::set_boundary(void (*enter)(), void (*leave)()) {
  enter_.store(enter);
  leave_.store(leave);
}

void Calls::violation(const std::string& text) {
  std::lock_guard lock(mutex_);
  violations_.push_back(text);
}

uint64_t Calls::violations() {
  std::lock_guard lock(mutex_);
  return violations_.size();
}

const char* Calls::last_violation() {
  std::lock_guard lock(mutex_);
  return violations_.empty() ? "" : kept(violations_.back());
}

const char* Calls::kept(const std::string& text) {
  return texts_.try_emplace(text, 0).first->first.c_str();
}

void Calls::enter() const {
  if (auto* enter = enter_.load(std::memory_order_acquire)) enter();
}

void Calls::leave() const {
  if (auto* leave = leave_.load(std::memory_order_acquire)) leave();
}

int32_t Calls::failure_for(const std::string& name, Role role) {
  int32_t result = 0;
  for (Failure& failure : failures_) {
    const bool meant = failure.name.empty()
                           ? role == Role::NORMAL && failure.asker == std::this_thread::get_id()
                           : failure.name == name;
    if (meant && --failure.left == 0 && result == 0) result = failure.result;
  }
  std::erase_if(failures_, [](const Failure& failure) { return failure.left == 0; });
  return result;
}

// Returns the delay in milliseconds, so that the wait is without the lock.
uint32_t Calls::note(const char* name, Role role, int32_t& result) {
  std::lock_guard lock(mutex_);
  ++counts_[name];
  if (logging_.load(std::memory_order_relaxed)) log_.push_back(name);
  if (!failures_.empty()) result = failure_for(name, role);
  const auto delay = delays_.find(name);
  return delay == delays_.end() ? 0 : delay->second;
}

int32_t Calls::begin(const char* name, Role role) {
  if (role == Role::NAMING) return 0;
  total_.fetch_add(1, std::memory_order_relaxed);
  int32_t result = 0;
  const uint32_t milliseconds = note(name, role, result);
  if (result != 0) last_failed_.store(name);
  if (milliseconds) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return result;
}

}  // namespace fake

extern "C" {
void fake_fail_call(const char* name, uint64_t nth, int32_t result) {
  fake::calls().fail(name, nth, result);
}
const char* fake_last_failed(void) { return fake::calls().last_failed(); }
void fake_forget_failures(void) { fake::calls().forget_failures(); }
int32_t fake_failures_used(void) { return fake::calls().failures_used(); }
void fake_delay_call(const char* name, uint32_t milliseconds) {
  fake::calls().delay(name, milliseconds);
}
uint64_t fake_call_count(const char* name) { return fake::calls().count(name); }
uint64_t fake_total_calls(void) { return fake::calls().total(); }
uint64_t fake_log_size(void) { return fake::calls().log_size(); }
const char* fake_log_at(uint64_t index) { return fake::calls().log_at(index); }
void fake_set_logging(int32_t on) { fake::calls().set_logging(on != 0); }
void fake_set_boundary(void (*enter)(void), void (*leave)(void)) {
  fake::calls().set_boundary(enter, leave);
}
uint64_t fake_violations(void) { return fake::calls().violations(); }
const char* fake_last_violation(void) { return fake::calls().last_violation(); }
}
