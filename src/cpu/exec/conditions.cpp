// SPDX-License-Identifier: Apache-2.0
// The table of conditions.
#include "cpu/exec/conditions.hpp"

#include <mutex>
#include <unordered_map>

namespace cucore::cpu {
namespace {

struct Conditions {
  std::mutex mutex;
  std::unordered_map<uint64_t, uint32_t> values;
  uint64_t last = 0;
};
Conditions& conditions() {
  static Conditions& c = *new Conditions;  // never destroyed
  return c;
}

uint64_t new_condition(uint32_t value) {
  Conditions& c = conditions();
  std::lock_guard lock(c.mutex);
  c.values.emplace(++c.last, value);
  return c.last;
}

}  // namespace

LiveCondition::LiveCondition(uint32_t value) : handle_(new_condition(value)) {}

LiveCondition::~LiveCondition() {
  Conditions& c = conditions();
  std::lock_guard lock(c.mutex);
  c.values.erase(handle_);
}

bool set_condition(uint64_t handle, uint32_t value) {
  Conditions& c = conditions();
  std::lock_guard lock(c.mutex);
  const auto found = c.values.find(handle);
  if (found == c.values.end()) return false;
  found->second = value;
  return true;
}

uint32_t condition_value(uint64_t handle) {
  Conditions& c = conditions();
  std::lock_guard lock(c.mutex);
  const auto found = c.values.find(handle);
  return found == c.values.end() ? 0 : found->second;
}

}  // namespace cucore::cpu
