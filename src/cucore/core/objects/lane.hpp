// SPDX-License-Identifier: Apache-2.0
// The futures of one stream that are pending, in the stream's order: only the first need be asked
// for.
#pragma once

#include "core/completion/future.hpp"

namespace cucore::core {

class Lane {
 public:
  Lane(Ref<Context> context, uint64_t stream) : context_(std::move(context)), stream_(stream) {}

  const Ref<Context>& context() const { return context_; }
  uint64_t stream() const { return stream_; }

  bool is_empty() const { return !first_; }
  Future& first() const { return *first_; }
  void append(Future& future) noexcept;
  Future& pop() noexcept;

  size_t users = 0;        // futures on their way in or in; guarded by the reaper's mutex
  Lane* next = nullptr;    // in the list of those that are not empty
  bool is_listed = false;  // there

 private:
  const Ref<Context> context_;
  const uint64_t stream_;
  Future* first_ = nullptr;
  Future* last_ = nullptr;
};

}  // namespace cucore::core
