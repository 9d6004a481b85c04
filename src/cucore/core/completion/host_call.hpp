// SPDX-License-Identifier: Apache-2.0
// Functions of the host that run on a thread of the driver, in the order of a stream or a graph.
#pragma once

#include <cucore.h>

#include "core/completion/queue.hpp"
#include "core/graph/node_work.hpp"
#include "core/objects/stream.hpp"

namespace cucore::core {

// The data of a host function. A stream keeps it until the function has run, a graph as long as it
// lives.
class HostCall : public Object {
 public:
  // Runs on a thread of the driver, which must not call the driver.
  virtual void run() const noexcept = 0;
};

// A function of C.
class HostFunction final : public HostCall {
 public:
  HostFunction(cucore_host_fn function, UserData data) noexcept
      : function_(function), data_(std::move(data)) {}

  void run() const noexcept override { function_(data_.data()); }
  // The call that takes the data has failed. A graph may hold this longer.
  void end_data() const noexcept { data_.end(); }

 private:
  ~HostFunction() override = default;

  const cucore_host_fn function_;
  const UserData data_;
};

// A function of another language: a completion in a queue. With `waits` the stream goes on when the
// queue resumes it.
class QueuedHostCall final : public HostCall {
 public:
  QueuedHostCall(Ref<Queue> queue, uint64_t token, bool waits)
      : queue_(std::move(queue)), token_(token), waits_(waits) {}

  void run() const noexcept override { queue_->put_host(token_, waits_); }

 private:
  ~QueuedHostCall() override = default;

  const Ref<Queue> queue_;
  const uint64_t token_;
  const bool waits_;
};

// The driver's form of a call in a graph, which keeps the call.
CUhostFn host_function_of_graphs();

// A node that makes the call.
Ref<const NodeWork> host_work(Ref<const HostCall> call);

// Adds the function to a stream, captured or not.
void launch_host(const Stream& stream, const HostCall& call);

// Adds a function of C, which keeps its data. If it throws, the data has ended.
void launch_host(const Stream& stream, cucore_host_fn function, UserData data);

// Forgets the functions that a destroyed context did not run.
void drop_host_calls(const Context& context) noexcept;

}  // namespace cucore::core
