// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: a stream writes a word, or waits until it has a value.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "cpu/driver/api.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu::api {
namespace {

constexpr unsigned MOST_OPERATIONS = 256;

// Finds a word each time, because its memory may be freed or mapped elsewhere in the meantime.
template <class T>
bool with_word(CUdeviceptr address, Access access, const std::function<void(T&)>& use) {
  AddressSpace::Pin pin;
  void* host = AddressSpace::instance().host(address, sizeof(T), access);
  if (host) use(*static_cast<T*>(host));
  return host != nullptr;
}

template <class T>
void check_word(CUdeviceptr address, Access access) {
  require(address % sizeof(T) == 0);
  require(AddressSpace::instance().host(address, sizeof(T), access) != nullptr);
}

void lost_word(Context& context, const char* what, CUdeviceptr address) {
  context.poison(CUDA_ERROR_ILLEGAL_ADDRESS,
                 std::string(what) + ": illegal address: " +
                     AddressSpace::instance().describe(address, sizeof(cuuint32_t)));
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
Queue::Work write_work(Stream& stream, CUdeviceptr address, T value, unsigned flags) {
  require((flags & ~static_cast<unsigned>(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)) == 0);
  check_word<T>(address, Access::WRITE);
  // For a thread or stream that reads the value, the work before it has ended.
  return [address, value, clock = clock_of(stream), context = stream.context_ptr()] {
    host_waited(clock);
    const auto write = [value](T& word) { std::atomic_ref<T>(word).store(value); };
    if (!with_word<T>(address, Access::WRITE, write)) lost_word(*context, "write value", address);
  };
}

template <class T>
Queue::Work wait_work(Stream& stream, CUdeviceptr address, T value, unsigned flags) {
  require(flags <= CU_STREAM_WAIT_VALUE_NOR);
  check_word<T>(address, Access::READ);
  return [address, value, flags, context = stream.context_ptr()] {
    bool reached = false;
    const auto read = [&](T& word) {
      reached = holds(std::atomic_ref<T>(word).load(), value, flags);
    };
    while (with_word<T>(address, Access::READ, read)) {
      if (reached || !context->alive() || context->poisoned()) return;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    lost_word(*context, "wait for value", address);
  };
}

template <class T>
CUresult write_value(CUstream handle, CUdeviceptr address, T value, unsigned flags) {
  auto stream = find_stream(handle);
  stream->submit(write_work(*stream, address, value, flags));
  return CUDA_SUCCESS;
}

template <class T>
CUresult wait_value(CUstream handle, CUdeviceptr address, T value, unsigned flags) {
  auto stream = find_stream(handle);
  stream->submit(wait_work(*stream, address, value, flags));
  return CUDA_SUCCESS;
}

// Barriers and flushes need no work, because all memory is the host's.
Queue::Work no_work(unsigned flags, unsigned most) {
  require(flags <= most);
  return [] {};
}

Queue::Work work_of(Stream& stream, const CUstreamBatchMemOpParams& p) {
  switch (p.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return wait_work(stream, p.waitValue.address, p.waitValue.value, p.waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return wait_work(stream, p.waitValue.address, p.waitValue.value64, p.waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return write_work(stream, p.writeValue.address, p.writeValue.value, p.writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return write_work(stream, p.writeValue.address, p.writeValue.value64, p.writeValue.flags);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      return no_work(p.flushRemoteWrites.flags, 0);
    case CU_STREAM_MEM_OP_BARRIER:
      return no_work(p.memoryBarrier.flags, CU_STREAM_MEMORY_BARRIER_TYPE_GPU);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
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

// Checks all operations before the first one is queued.
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  require(count > 0 && count <= MOST_OPERATIONS && paramArray && flags == 0);
  auto s = find_stream(stream);
  std::vector<Queue::Work> works;
  for (unsigned i = 0; i < count; ++i) works.push_back(work_of(*s, paramArray[i]));
  for (Queue::Work& work : works) s->submit(std::move(work));
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
