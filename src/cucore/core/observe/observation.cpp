// SPDX-License-Identifier: Apache-2.0
#include "core/observe/observation.hpp"

#include <algorithm>

#include "core/objects/stream.hpp"

namespace cucore::core {
namespace {

bool is_captured(const Operation& operation) {
  return operation.stream && operation.kind != CUCORE_OPERATION_SYNCHRONIZE &&
         operation.stream->is_capturing();
}

}  // namespace

Observation::Observation(const Operation& operation) noexcept : operation_(operation) {
  if (!calls_.are_needed()) return;
  if (describe())
    calls_.begin(described_);
  else
    calls_.cancel();
}

// Returns false if a part cannot be had.
bool Observation::describe() noexcept {
  return core::is_described([&] {
    operation_handles().describe(operation_, described_);
    is_described_ = true;
    described_.captured = is_captured(operation_);
  });
}

void Observation::end(Status status) noexcept {
  if (!calls_.are_needed()) return;
  try {
    operation_handles().add_results(operation_, described_);
  } catch (...) {
    // The end is reported without the handle of the result.
  }
  described_.status = static_cast<cucore_status>(status);
  calls_.end(described_);
}

Observation::~Observation() {
  if (is_described_) operation_handles().release(described_);
}

void ObserverCalls::find_several(uint32_t places) noexcept {
  for (; places != 0; places &= places - 1) find(places);
  std::sort(observed_.begin(), observed_.begin() + count_,  // in the order of their creation
            [](const Observed& a, const Observed& b) { return a.number < b.number; });
}

}  // namespace cucore::core
