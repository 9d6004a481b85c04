// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: a stream writes a word, or waits until it has a value.
#include <atomic>
#include <chrono>
#include <thread>

#include "cpu/driver/api.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu::api {
namespace {

template <class T>
T* word(CUdeviceptr address, Access access) {
  require(address % sizeof(T) == 0);
  void* host = AddressSpace::instance().host(address, sizeof(T), access);
  require(host != nullptr);
  return static_cast<T*>(host);
}

template <class T>
bool holds(T now, T wanted, unsigned flags) {
  switch (flags) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<std::make_signed_t<T>>(now - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return now == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
      return (now & wanted) != 0;
    default:
      return static_cast<T>(~(now | wanted)) != 0;
  }
}

template <class T>
CUresult write_value(CUstream handle, CUdeviceptr address, T value, unsigned flags) {
  require((flags & ~static_cast<unsigned>(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)) == 0);
  auto stream = find_stream(handle);
  T* at = word<T>(address, Access::WRITE);
  // For a thread or stream that reads the value, the work before it has ended.
  stream->submit([at, value, clock = clock_of(*stream)] {
    host_waited(clock);
    std::atomic_ref<T>(*at).store(value);
  });
  return CUDA_SUCCESS;
}

template <class T>
CUresult wait_value(CUstream handle, CUdeviceptr address, T value, unsigned flags) {
  require(flags <= CU_STREAM_WAIT_VALUE_NOR);
  auto stream = find_stream(handle);
  T* at = word<T>(address, Access::READ);
  stream->submit([at, value, flags, context = stream->context_ptr()] {
    while (!holds(std::atomic_ref<T>(*at).load(), value, flags)) {
      if (!context->alive() || context->poisoned()) return;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags) {
  return write_value<cuuint32_t>(stream, addr, value, flags);
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags) {
  return write_value<cuuint64_t>(stream, addr, value, flags);
}
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags) {
  return wait_value<cuuint32_t>(stream, addr, value, flags);
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags) {
  return wait_value<cuuint64_t>(stream, addr, value, flags);
}

}  // namespace cucore::cpu::api
