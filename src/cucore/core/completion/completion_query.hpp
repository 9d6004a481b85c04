// SPDX-License-Identifier: Apache-2.0
// The queries that find out whether pending work has ended.
#pragma once

#include "core/completion/stream_backlog.hpp"

namespace cucore::core {

class PendingWork;

class CompletionQuery {
 public:
  // Returns whether the first future of a backlog has ended, and then sets its outcome.
  virtual bool has_ended(const StreamBacklog& backlog, Outcome& outcome) noexcept = 0;

 protected:
  ~CompletionQuery() = default;
};

// Queries the driver. It serves one sweep: a fault that one query meets ends all work of its
// context, without further queries.
class EventQuery final : public CompletionQuery {
 public:
  EventQuery(const Device& device, const PendingWork& work) : device_(device), work_(work) {}

  bool has_ended(const StreamBacklog& backlog, Outcome& outcome) noexcept override;

  // The outcome of work whose query, or whose record, failed with `result`.
  static Outcome failure_of(const Device& device, CUresult result) noexcept;

 private:
  const Device& device_;
  const PendingWork& work_;
  const Context* faulted_ = nullptr;
  Outcome fault_;
};

}  // namespace cucore::core
