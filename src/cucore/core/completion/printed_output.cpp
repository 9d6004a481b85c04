// SPDX-License-Identifier: Apache-2.0
#include "core/completion/printed_output.hpp"
#include "driver/check_sessions.hpp"

#include <string_view>

namespace cucore::core {

bool may_print(image::CodeType type, std::span<const std::byte> bytes) {
  if (type != image::CodeType::PTX && type != image::CodeType::CUBIN) return true;
  // faster than memmem(), because the first characters are rare in machine code
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.find("vprintf") != text.npos || text.find("__assertfail") != text.npos;
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
      const CUresult made = driver::create_own_stream(*cu, &stream);
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
