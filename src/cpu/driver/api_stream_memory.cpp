// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: a stream writes a word, or waits until it has a value.
#include <algorithm>

#include "cpu/driver/api.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/driver/stream_words.hpp"

namespace cucore::cpu::api {
namespace {

CUresult run(CUstream handle, unsigned count, const CUstreamBatchMemOpParams* operations,
             unsigned flags) {
  auto stream = find_stream(handle);
  require(count <= MOST_WORD_OPERATIONS && operations && flags == 0);
  if (count == 0) return CUDA_SUCCESS;
  std::vector<CUstreamBatchMemOpParams> list(operations, operations + count);
  for (const auto& operation : list) check_word(operation);
  if (captures(*stream)) {
    capture_node(*stream, make_memop(stream->context_ptr(), count, operations, flags));
    return CUDA_SUCCESS;
  }
  const ClockCopy clock = clock_of(*stream);
  if (!std::ranges::all_of(list, writes_word)) note_gate(*stream);
  stream->submit([list = std::move(list), clock, context = stream->context_ptr()] {
    for (const auto& operation : list) {
      // For a thread or stream that reads the value, the work before it has ended.
      if (writes_word(operation)) host_waited(clock);
      run_word(operation, *context);
    }
  });
  return CUDA_SUCCESS;
}

CUresult run(CUstream stream, const CUstreamBatchMemOpParams& operation) {
  return run(stream, 1, &operation, 0);
}

}  // namespace

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags) {
  return run(stream, word_write(addr, value, flags, false));
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags) {
  return run(stream, word_write(addr, value, flags, true));
}
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags) {
  return run(stream, word_wait(addr, value, flags, false));
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags) {
  return run(stream, word_wait(addr, value, flags, true));
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  return run(stream, count, paramArray, flags);
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count,
                            CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  return run(stream, count, paramArray, flags);
}

}  // namespace cucore::cpu::api
