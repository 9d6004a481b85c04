// SPDX-License-Identifier: Apache-2.0
// Writes of words and waits for them.
#include "cpu/driver/stream_words.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "cpu/driver/allocations.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

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

void fault(Context& context, const char* what, uint64_t address, uint64_t size) {
  context.poison(CUDA_ERROR_ILLEGAL_ADDRESS, std::string(what) + ": illegal address: " +
                                                 AddressSpace::instance().describe(address, size));
}

template <class T>
void write(CUdeviceptr address, T value, Context& context) {
  AddressSpace::Pin pin;
  void* at = AddressSpace::instance().host(address, sizeof(T), Access::WRITE);
  if (!at) return fault(context, "write value", address, sizeof(T));
  std::atomic_ref<T>(*static_cast<T*>(at)).store(value);
}

template <class T>
void wait(CUdeviceptr address, T value, unsigned flags, Context& context) {
  for (;;) {
    {
      AddressSpace::Pin pin;
      void* at = AddressSpace::instance().host(address, sizeof(T), Access::READ);
      if (!at) return fault(context, "wait for value", address, sizeof(T));
      if (holds(std::atomic_ref<T>(*static_cast<T*>(at)).load(), value, flags)) return;
    }
    if (!context.alive() || context.poisoned()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// Drivers of CUDA 13.0 refuse words in the memory of any pool, also in that of cuMemAllocAsync.
void check_address(CUdeviceptr address, size_t size, Access access) {
  require(address != 0 && address % size == 0);
  const auto memory = Allocations::instance().find(address);
  require(!memory || !memory->pool);
  require(AddressSpace::instance().host(address, size, access) ||
          Allocations::instance().is_graph_memory(address, size));
}

}  // namespace

void check_word(const CUstreamBatchMemOpParams& o) {
  switch (o.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      require(!(o.waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH), CUDA_ERROR_NOT_SUPPORTED);
      require(o.waitValue.flags <= CU_STREAM_WAIT_VALUE_NOR);
      return check_address(o.waitValue.address,
                           o.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ? 8 : 4, Access::READ);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      require(o.writeValue.flags == 0);
      return check_address(o.writeValue.address,
                           o.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 ? 8 : 4, Access::WRITE);
    case CU_STREAM_MEM_OP_BARRIER:
      return require(o.memoryBarrier.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      return require(o.flushRemoteWrites.flags == 0);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

bool writes_word(const CUstreamBatchMemOpParams& o) {
  return o.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
         o.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

void run_word(const CUstreamBatchMemOpParams& o, Context& context) {
  switch (o.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
      return wait<cuuint32_t>(o.waitValue.address, o.waitValue.value, o.waitValue.flags, context);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      return wait<cuuint64_t>(o.waitValue.address, o.waitValue.value64, o.waitValue.flags, context);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return write<cuuint32_t>(o.writeValue.address, o.writeValue.value, context);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return write<cuuint64_t>(o.writeValue.address, o.writeValue.value64, context);
    default:  // a barrier: all writes are already sequentially consistent
      return;
  }
}

CUstreamBatchMemOpParams word_write(CUdeviceptr address, uint64_t value, unsigned flags,
                                    bool wide) {
  CUstreamBatchMemOpParams o{};
  o.operation = wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
  o.writeValue.address = address;
  o.writeValue.value64 = value;
  o.writeValue.flags = flags;
  return o;
}

CUstreamBatchMemOpParams word_wait(CUdeviceptr address, uint64_t value, unsigned flags, bool wide) {
  CUstreamBatchMemOpParams o{};
  o.operation = wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32;
  o.waitValue.address = address;
  o.waitValue.value64 = value;
  o.waitValue.flags = flags;
  return o;
}

}  // namespace cucore::cpu
