// SPDX-License-Identifier: Apache-2.0
// The pending futures of one stream, in the stream's order. Only the first needs a query.
#pragma once

#include "core/completion/future.hpp"

namespace cucore::core {

class StreamBacklog {
 public:
  StreamBacklog(Ref<Context> context, uint64_t stream)
      : context_(std::move(context)), stream_(stream) {}

  const Ref<Context>& context() const { return context_; }
  uint64_t stream() const { return stream_; }

  bool is_empty() const { return !first_; }
  Future& first() const { return *first_; }
  void append(Future& future) noexcept;
  Future& pop() noexcept;

  // The fields of PendingWork.
  size_t users = 0;               // open and committed records, and the list; guarded by its mutex
  StreamBacklog* next = nullptr;  // in the list of backlogs that are not empty
  bool is_listed = false;

 private:
  const Ref<Context> context_;
  const uint64_t stream_;
  Future* first_ = nullptr;
  Future* last_ = nullptr;
};

}  // namespace cucore::core
