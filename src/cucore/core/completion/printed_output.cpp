// SPDX-License-Identifier: Apache-2.0
#include "core/completion/printed_output.hpp"

#include <cstring>

namespace cucore::core {

bool may_print(image::CodeType type, std::span<const std::byte> bytes) {
  if (type != image::CodeType::PTX && type != image::CodeType::CUBIN) return true;
  for (const char* function : {"vprintf", "__assertfail"})
    if (memmem(bytes.data(), bytes.size(), function, std::strlen(function))) return true;
  return false;
}

namespace {

// A broken context creates no stream and waits for none; then any stream writes the output.
CUresult write_despite(const driver::CudaTable& cu, CUresult failure) noexcept {
  return driver::is_sticky(failure) ? cu.cuStreamSynchronize(CU_STREAM_LEGACY) : failure;
}

}  // namespace

// A stream without work is done at once; its synchronisation makes the driver write the output of
// the whole context. The polled stream itself might have received more work from another thread,
// which would be waited for.
CUresult PrintedOutput::write() noexcept {
  const auto* cu = driver::cuda_if_available();
  if (!cu) return CUDA_SUCCESS;
  CUstream stream = idle_stream_.load(std::memory_order_acquire);
  if (!stream) {
    std::lock_guard lock(making_);
    stream = idle_stream_.load(std::memory_order_relaxed);
    if (!stream) {
      const CUresult made = cu->cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
      if (made != CUDA_SUCCESS) return write_despite(*cu, made);
      idle_stream_.store(stream, std::memory_order_release);
    }
  }
  return cu->cuStreamSynchronize(stream);
}

CUresult OutputMark::write(PrintedOutput& output, uint64_t work) noexcept {
  const CUresult result = output.write();
  if (result == CUDA_SUCCESS) set(work);
  return result;
}

}  // namespace cucore::core
