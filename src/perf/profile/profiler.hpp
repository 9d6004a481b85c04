// SPDX-License-Identifier: Apache-2.0
// A profiler: its options, what its user declares, and one session at a time.
#pragma once

#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include "perf/profile/session.hpp"

namespace cucore::perf {

class Profiler final : public Object {
 public:
  explicit Profiler(ProfilerOptions options) : options_(std::move(options)) {}

  // @throws Error INVALID_STATE while a session runs, and as Session
  void begin(bool is_lazy = false);
  // The following throw INVALID_STATE without a session.
  SessionResult end(double most_wait = std::numeric_limits<double>::infinity());
  void begin_range(const std::string& name);
  void end_range();
  // Runs the work in a range, on a stream of its own.
  void run(const std::string& range, const std::function<void(const cucore_stream*)>& work);

  // For all sessions; in a running one for kernels that it has not seen yet.
  void declare(const std::string& kernel, Declaration declaration);

 private:
  std::shared_ptr<Session> session() const;

  const ProfilerOptions options_;
  mutable std::mutex mutex_;
  LaunchTable::Declarations declarations_;
  std::shared_ptr<Session> session_;
};

}  // namespace cucore::perf
