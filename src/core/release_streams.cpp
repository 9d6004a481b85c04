#include "core/release_streams.hpp"

namespace cucore::core {

ReleaseStreams::Lease ReleaseStreams::acquire(const driver::CudaTable& cu) noexcept {
  std::unique_lock lock(mutex_);
  const ReleaseStream chosen = choose(cu);
  return {std::move(lock), chosen};
}

ReleaseStream ReleaseStreams::choose(const driver::CudaTable& cu) noexcept {
  for (size_t i = 0; i < count_; ++i)
    if (cu.cuStreamQuery(streams_[i].stream) == CUDA_SUCCESS) return streams_[i];
  if (count_ < streams_.size()) {
    const ReleaseStream made = create(cu);
    if (made.stream) return streams_[count_++] = made;
  }
  return count_ == 0 ? ReleaseStream{} : streams_[next_++ % count_];
}

ReleaseStream ReleaseStreams::create(const driver::CudaTable& cu) noexcept {
  ReleaseStream made;
  if (cu.cuEventCreate(&made.event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return {};
  if (cu.cuStreamCreateWithPriority(&made.stream, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS)
    return made;
  driver::check_release(cu.cuEventDestroy(made.event), "destroy an event");
  return {};
}

}  // namespace cucore::core
