// SPDX-License-Identifier: Apache-2.0
// The fake driver's streams and events: work is complete at once, unless a test holds it.
#include <utility>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake::api {
namespace {

constexpr unsigned EVENT_FLAGS =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

struct Target {
  Context* context = nullptr;
  Stream* stream = nullptr;
};

bool is_complete(const Event& event) {
  return !event.recorded || !driver().held || event.record_number <= driver().let_go_up_to;
}

// A query or a wait that includes a captured stream breaks its capture.
CUresult require_no_capture(const Stream* stream) {
  const bool captured = invalidate_captures([stream](const Stream& s) { return &s == stream; });
  return captured ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

// An event whose last record was in a capture represents no work.
CUresult require_no_capture(const Event& event) {
  if (event.capture == 0) return CUDA_SUCCESS;
  invalidate_captures([&](const Stream& s) { return s.capture.id == event.capture; });
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult find_event(CUevent handle, Event*& event, const char* use) {
  event = driver().events.find_or_note(handle, use);
  NEED(event, CUDA_ERROR_INVALID_HANDLE);
  return usable(event->context);
}

// An event node, which only a capture can have.
CUresult external(Stream* stream, CUevent event, CUgraphNodeType type) {
  GraphNode node;
  node.type = type;
  node.event = event;
  return capture_work(stream, std::move(node)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
  const auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  NEED(flags <= CU_STREAM_NON_BLOCKING, CUDA_ERROR_INVALID_VALUE);
  Stream stream{context, flags, std::max(-5, std::min(0, priority)), 0, {}, {}, 0};
  stream.id = driver().streams.created() + 1;
  *out = driver().streams.add(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  const auto lock = locked();
  abandon_capture(stream);
  NEED(driver().streams.remove(stream, "cuStreamDestroy"), CUDA_ERROR_INVALID_HANDLE);
  return driver().settings.fault;
}

CUresult cuStreamQuery(CUstream handle) {
  const auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve_work(handle, to.context, to.stream, "cuStreamQuery"));
  RETURN_IF_FAILED(require_no_capture(to.stream));
  return driver().held ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle) {
  auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve_work(handle, to.context, to.stream, "cuStreamSynchronize"));
  RETURN_IF_FAILED(require_no_capture(to.stream));
  wait_until_let_go(lock);
  return usable(to.context);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
  auto lock = locked();
  Target to;
  Event* event = nullptr;
  RETURN_IF_FAILED(resolve_work(handle, to.context, to.stream, "cuStreamWaitEvent"));
  RETURN_IF_FAILED(find_event(event_handle, event, "cuStreamWaitEvent"));
  if (flags == CU_EVENT_WAIT_EXTERNAL)
    return external(to.stream, event_handle, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  RETURN_IF_FAILED(wait_in_capture(to.stream, *event));
  take_place(lock, to.stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* out) {
  const auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve(handle, to.context, to.stream, "cuStreamGetCtx"));
  *out = to.context->handle;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
  const auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve(handle, to.context, to.stream, "cuStreamGetFlags"));
  *flags = to.stream ? to.stream->flags : 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  const auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve(handle, to.context, to.stream, "cuStreamGetPriority"));
  *priority = to.stream ? to.stream->priority : 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID id, const CUstreamAttrValue* value) {
  const auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve_work(handle, to.context, to.stream, "cuStreamSetAttribute"));
  NEED(value && id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CUDA_ERROR_INVALID_VALUE);
  if (to.stream) to.stream->attributes[id] = *value;
  return CUDA_SUCCESS;
}

namespace {

CUresult use_word(CUstream handle, CUstreamBatchMemOpType type, CUdeviceptr address, uint64_t value,
                  size_t size, const char* name) {
  auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve_work(handle, to.context, to.stream, name));
  NEED(address % size == 0 && memory_at(address, size), CUDA_ERROR_INVALID_VALUE);
  CUstreamBatchMemOpParams operation{};
  operation.operation = type;
  operation.writeValue.address = address;
  operation.writeValue.value64 = value;
  if (capture_work(to.stream, word_node(operation))) return CUDA_SUCCESS;
  take_place(lock, to.stream);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  return use_word(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, address, value, 4,
                  "cuStreamWriteValue32");
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned) {
  return use_word(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, address, value, 8,
                  "cuStreamWriteValue64");
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
  return use_word(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, address, value, 4, "cuStreamWaitValue32");
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned) {
  return use_word(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, address, value, 8, "cuStreamWaitValue64");
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  const auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve(handle, to.context, to.stream, "cuStreamGetId"));
  *id = to.stream ? to.stream->id : reinterpret_cast<uintptr_t>(handle);
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  const auto lock = locked();
  Target to;
  RETURN_IF_FAILED(resolve(handle, to.context, to.stream, "cuStreamIsCapturing"));
  NEED(!is_blocked_by_capture(handle, to.context), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  *status = !to.stream || !to.stream->capture.active ? CU_STREAM_CAPTURE_STATUS_NONE
            : to.stream->capture.invalidated         ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                                     : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  const auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  NEED((flags & ~EVENT_FLAGS) == 0, CUDA_ERROR_INVALID_VALUE);
  const bool timed = !(flags & CU_EVENT_DISABLE_TIMING);
  NEED(!timed || !(flags & CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
  *out = driver().events.add({context, flags, false, 0, 0, {}, {}});
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  const auto lock = locked();
  NEED(driver().events.remove(event, "cuEventDestroy"), CUDA_ERROR_INVALID_HANDLE);
  return driver().settings.fault;
}

CUresult cuEventRecord(CUevent handle, CUstream stream) {
  const auto lock = locked();
  Target to;
  Event* event = nullptr;
  RETURN_IF_FAILED(find_event(handle, event, "cuEventRecord"));
  RETURN_IF_FAILED(resolve_work(stream, to.context, to.stream, "cuEventRecord"));
  NEED(event->context == to.context, CUDA_ERROR_INVALID_HANDLE);
  const bool captured = to.stream && to.stream->capture.active;
  event->capture = captured ? to.stream->capture.id : 0;
  event->point = captured ? to.stream->capture.point : std::vector<CUgraphNode>();
  event->recorded = true;
  event->record_number = ++driver().records;
  if (!driver().held) driver().let_go_up_to = driver().records;
  event->when = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent handle, CUstream stream, unsigned flags) {
  if (flags != CU_EVENT_RECORD_EXTERNAL) return api::cuEventRecord(handle, stream);
  const auto lock = locked();
  Target to;
  Event* event = nullptr;
  RETURN_IF_FAILED(find_event(handle, event, "cuEventRecordWithFlags"));
  RETURN_IF_FAILED(resolve_work(stream, to.context, to.stream, "cuEventRecordWithFlags"));
  return external(to.stream, handle, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult cuEventQuery(CUevent handle) {
  const auto lock = locked();
  Event* event = nullptr;
  RETURN_IF_FAILED(find_event(handle, event, "cuEventQuery"));
  RETURN_IF_FAILED(require_no_capture(*event));
  return is_complete(*event) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent handle) {
  auto lock = locked();
  Event* event = nullptr;
  RETURN_IF_FAILED(find_event(handle, event, "cuEventSynchronize"));
  RETURN_IF_FAILED(require_no_capture(*event));
  if (!is_complete(*event)) wait_until_let_go(lock);
  return driver().settings.fault;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  const auto lock = locked();
  Event* start = nullptr;
  Event* end = nullptr;
  RETURN_IF_FAILED(find_event(start_handle, start, "cuEventElapsedTime"));
  RETURN_IF_FAILED(find_event(end_handle, end, "cuEventElapsedTime"));
  NEED(!((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING), CUDA_ERROR_INVALID_HANDLE);
  NEED(start->context == end->context, CUDA_ERROR_INVALID_HANDLE);
  RETURN_IF_FAILED(require_no_capture(*start));
  RETURN_IF_FAILED(require_no_capture(*end));
  NEED(start->recorded && end->recorded, CUDA_ERROR_INVALID_HANDLE);
  NEED(is_complete(*start) && is_complete(*end), CUDA_ERROR_NOT_READY);
  std::deque<float>& scripted = driver().settings.elapsed;
  if (!scripted.empty()) {
    *milliseconds = scripted.front();
    scripted.pop_front();
    return CUDA_SUCCESS;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
  return CUDA_SUCCESS;
}

}  // namespace fake::api
