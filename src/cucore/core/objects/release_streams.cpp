// SPDX-License-Identifier: Apache-2.0
#include "core/objects/release_streams.hpp"
#include "driver/check_sessions.hpp"

namespace cucore::core {

ReleaseStreams::Lease ReleaseStreams::acquire(const driver::CudaTable& cu) noexcept {
  std::unique_lock lock(mutex_);
  ReleaseStream* const chosen = choose(cu);
  return {std::move(lock), chosen};
}

ReleaseStreams::ReleaseStream* ReleaseStreams::choose(const driver::CudaTable& cu) noexcept {
  if (ReleaseStream* const idle = find_idle(cu)) return idle;
  if (ReleaseStream* const made = make_another(cu)) return made;
  return find_with_room();
}

ReleaseStreams::ReleaseStream* ReleaseStreams::find_idle(const driver::CudaTable& cu) noexcept {
  for (size_t i = 0; i < count_; ++i) {
    if (cu.cuStreamQuery(streams_[i].stream) != CUDA_SUCCESS) continue;
    streams_[i].entries = 0;
    return &streams_[i];
  }
  return nullptr;
}

ReleaseStreams::ReleaseStream* ReleaseStreams::make_another(const driver::CudaTable& cu) noexcept {
  if (count_ == streams_.size()) return nullptr;
  CUstream stream = nullptr;
  if (driver::create_own_stream(cu, &stream) != CUDA_SUCCESS) return nullptr;
  streams_[count_].stream = stream;
  return &streams_[count_++];
}

ReleaseStreams::ReleaseStream* ReleaseStreams::find_with_room() noexcept {
  for (size_t i = 0; i < count_; ++i) {
    ReleaseStream& next = streams_[next_++ % count_];
    if (next.entries < MOST_ENTRIES) return &next;
  }
  return nullptr;
}

}  // namespace cucore::core
