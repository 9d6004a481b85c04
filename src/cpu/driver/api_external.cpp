// SPDX-License-Identifier: Apache-2.0
// Semaphores of other libraries: their import, signals and waits in streams.
#include "cpu/driver/api.hpp"
#include "cpu/driver/external_semaphore.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/graph/node_params.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu::api {

CUresult cuImportExternalSemaphore(CUexternalSemaphore* extSem_out,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* semHandleDesc) {
  require(extSem_out && semHandleDesc && semHandleDesc->flags == 0);
  const CUexternalSemaphoreHandleType type = semHandleDesc->type;
  const bool is_timeline = type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  require(is_timeline || type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
          CUDA_ERROR_NOT_SUPPORTED);
  auto context = current_context();
  auto semaphore = ExternalSemaphore::import(context, semHandleDesc->handle.fd, is_timeline);
  *extSem_out = new_handle<CUexternalSemaphore>(semaphore);
  context->adopt(ObjectKind::EXTERNAL_SEMAPHORE, semaphore->handle_bits());
  return CUDA_SUCCESS;
}

// Work that uses the semaphore keeps it.
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem) {
  auto semaphore = lookup<ExternalSemaphore>(extSem);
  require(Registry::instance().remove(ObjectKind::EXTERNAL_SEMAPHORE, semaphore->handle_bits()) !=
              nullptr,
          CUDA_ERROR_INVALID_HANDLE);
  semaphore->context().disown(semaphore->handle_bits());
  return CUDA_SUCCESS;
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore* extSemArray,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* paramsArray,
                                         unsigned int numExtSems, CUstream stream) {
  auto order = find_stream(stream);
  auto signals = semaphore_list(extSemArray, paramsArray, numExtSems);
  if (captures(*order)) {
    capture_node(*order, make_signals(std::move(signals)));
    return CUDA_SUCCESS;
  }
  // For a thread or stream that waits for the semaphore, the work before the signal has ended.
  order->submit([signals = std::move(signals), clock = clock_of(*order)] {
    host_waited(clock);
    run_semaphores(signals);
  });
  return CUDA_SUCCESS;
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore* extSemArray,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* paramsArray,
                                       unsigned int numExtSems, CUstream stream) {
  auto order = find_stream(stream);
  auto waits = semaphore_list(extSemArray, paramsArray, numExtSems);
  if (captures(*order)) {
    capture_node(*order, make_waits(std::move(waits)));
    return CUDA_SUCCESS;
  }
  note_gate(*order);
  order->submit([waits = std::move(waits), context = order->context_ptr()] {
    run_semaphores(waits, *context);
  });
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
