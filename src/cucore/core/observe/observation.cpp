// SPDX-License-Identifier: Apache-2.0
#include "core/observe/observation.hpp"

#include <algorithm>
#include <atomic>

#include "core/objects/stream.hpp"

namespace cucore::core {
namespace {

constinit std::atomic<uint64_t> last_sequence{0};

bool is_captured(const Operation& operation) {
  return operation.stream && operation.kind != CUCORE_OPERATION_SYNCHRONIZE &&
         operation.stream->is_capturing();
}

}  // namespace

Observation::Observation(const Operation& operation) noexcept : operation_(operation) {
  if (ObserverPlace::is_in_call()) return;
  find_observers();
  if (count_ == 0) return;
  if (!describe()) {
    count_ = 0;
    return;
  }
  described_.sequence = last_sequence.fetch_add(1, std::memory_order_relaxed) + 1;
  size_t begun = 0;
  for (size_t i = 0; i < count_; ++i) {
    Observed& one = observed_[i];
    if (one.place->begin(one.number, described_, &one.state)) observed_[begun++] = one;
  }
  count_ = begun;
}

// In the order of their creation.
void Observation::find_observers() noexcept {
  for (ObserverPlace& place : observer_places)
    if (const uint64_t number = place.number()) observed_[count_++] = {number, &place, nullptr};
  std::sort(observed_.begin(), observed_.begin() + count_,
            [](const Observed& a, const Observed& b) { return a.number < b.number; });
}

// Returns false if a part cannot be had.
bool Observation::describe() noexcept {
  try {
    described_.struct_size = sizeof described_;
    described_.kind = operation_.kind;
    described_.captured = is_captured(operation_);
    operation_handles().add(operation_, described_);
    return true;
  } catch (...) {
    return false;
  }
}

void Observation::end(Status status) noexcept {
  if (count_ == 0) return;
  try {
    operation_handles().add(operation_, described_);
  } catch (...) {
    // The end is reported without the handle of the result.
  }
  described_.status = static_cast<cucore_status>(status);
  while (count_ != 0) {
    Observed& one = observed_[--count_];
    one.place->end(one.number, described_, &one.state);
  }
}

Observation::~Observation() {
  if (described_.struct_size != 0) operation_handles().release(described_);
}

}  // namespace cucore::core
