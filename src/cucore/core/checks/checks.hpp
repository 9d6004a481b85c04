// SPDX-License-Identifier: Apache-2.0
// Checks of kernels: one session on the CPU device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/checks/check_reports.hpp"
#include "support/ref.hpp"
#include "support/suppressions.hpp"

namespace cucore::core {

struct ChecksOptions {
  std::string kinds;
  std::optional<std::string> schedule, faults, trace_file;
  Suppressions suppressions;
  bool stop_at_report = false;
  uint64_t launch_instructions = 0, launch_memory = 0, launch_output = 0;  // 0: as before
};

class Checks final : public Object {
 public:
  static Ref<Checks> start(ChecksOptions options);

  size_t query();
  void end();
  // Ends the checks. Throws CHECKS if there are reports.
  void verify();
  bool is_running() const;
  // Returns what was read last. It lives as long as this object, because callers borrow its texts.
  const CheckReports& last() const;

 private:
  explicit Checks(Suppressions suppressions);
  ~Checks() override;
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);

  enum class State { RUNNING, ENDED, READ };

  void set_ended();
  void read_locked();
  void log_schedule();

  const Suppressions suppressions_;
  std::mutex ending_;  // one end at a time; before mutex_
  mutable std::mutex mutex_;
  State state_ = State::READ;
  std::string last_json_;  // of the device
  std::vector<std::unique_ptr<const CheckReports>> read_;
};

}  // namespace cucore::core
