// SPDX-License-Identifier: Apache-2.0
// The seed of random numbers, and how many were taken.
#pragma once

#include <mutex>
#include <utility>

#include "array/ir/random.hpp"
#include "array/run/context.hpp"

namespace cucore::array {

class Generator final : public Object {
 public:
  Generator(Ref<Context> context, uint64_t seed)
      : context_(std::move(context)), stream_{.seed = seed} {}

  const Ref<Context>& context() const noexcept { return context_; }
  Stream stream() const {
    const std::scoped_lock lock(mutex_);
    return stream_;
  }
  void set_stream(const Stream& stream) {
    const std::scoped_lock lock(mutex_);
    stream_ = stream;
  }
  // The place of the next `count` numbers, which later calls do not return.
  Stream advance(uint64_t count) {
    const std::scoped_lock lock(mutex_);
    const Stream present = stream_;
    stream_.first += count;
    return present;
  }
  // After a call that failed: later calls return its numbers, unless others were taken since.
  void give_back(const Stream& taken, uint64_t count) {
    const std::scoped_lock lock(mutex_);
    if (stream_.seed == taken.seed && stream_.first == taken.first + count) stream_ = taken;
  }

 private:
  const Ref<Context> context_;
  mutable std::mutex mutex_;
  Stream stream_;
};

}  // namespace cucore::array
