// SPDX-License-Identifier: Apache-2.0
// Events.
#include "cpu/driver/api.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/event.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/stream.hpp"

namespace cucore::cpu::api {

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  constexpr unsigned KNOWN =
      CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  require(phEvent && (Flags & ~KNOWN) == 0);
  require(!(Flags & CU_EVENT_INTERPROCESS) || (Flags & CU_EVENT_DISABLE_TIMING));
  auto context = current_context();
  std::shared_ptr<SharedEvent> shared;
  if (Flags & CU_EVENT_INTERPROCESS) {
    shared = SharedEvent::create(context->device().ordinal());
    require(shared != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
  }
  auto event = std::make_shared<Event>(context, Flags, std::move(shared));
  *phEvent = new_handle<CUevent>(event);
  context->adopt(ObjectKind::EVENT, event->handle_bits());
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
  auto event = lookup<Event>(hEvent);
  CUresult error = event->context().error();
  require(Registry::instance().remove(ObjectKind::EVENT, event->handle_bits()) != nullptr,
          CUDA_ERROR_INVALID_HANDLE);
  event->context().disown(event->handle_bits());
  return error;
}
CUresult cuEventDestroy(CUevent hEvent) { return api::cuEventDestroy_v2(hEvent); }

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  auto event = lookup<Event>(hEvent);
  auto stream = find_stream(hStream);
  require(&event->context() == &stream->context(), CUDA_ERROR_INVALID_HANDLE);
  if (captures(*stream))
    capture_record(*stream, *event);
  else
    event->record(*stream);
  return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  require((flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) == 0);
  if (!(flags & CU_EVENT_RECORD_EXTERNAL)) return api::cuEventRecord(hEvent, hStream);
  auto stream = find_stream(hStream);
  require(captures(*stream), CUDA_ERROR_ILLEGAL_STATE);
  capture_node(*stream, make_record(hEvent));
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent hEvent) {
  auto event = lookup<Event>(hEvent);
  refuse_captured(*event);
  bool done = event->done();
  CUresult error = event->context().error();
  if (error != CUDA_SUCCESS) return error;
  if (done) host_waited(event->clock());
  return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent hEvent) {
  auto event = lookup<Event>(hEvent);
  event->context().check_and_flush();
  refuse_captured(*event);
  event->wait();
  event->context().output().flush();
  event->context().device().on_synchronize();
  event->context().check();
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  auto start = lookup<Event>(hStart), end = lookup<Event>(hEnd);
  end->context().check();
  require(&start->context() == &end->context(), CUDA_ERROR_INVALID_HANDLE);
  refuse_captured(*start);
  refuse_captured(*end);
  if (start->recorded() && end->recorded() && start->timed() && end->timed() &&
      !(start->done() && end->done()))
    return CUDA_ERROR_NOT_READY;
  const float elapsed = end->since(*start);
  require(pMilliseconds != nullptr);
  *pMilliseconds = elapsed;
  return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return api::cuEventElapsedTime_v2(pMilliseconds, hStart, hEnd);
}

}  // namespace cucore::cpu::api
