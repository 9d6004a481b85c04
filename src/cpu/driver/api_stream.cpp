// SPDX-License-Identifier: Apache-2.0
// Streams, their attributes and host functions.
#include <algorithm>
#include <chrono>
#include <thread>

#include "cpu/driver/api.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/event.hpp"
#include "cpu/driver/graph/capture.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/driver/thread_state.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu::api {
namespace {

CUresult create(CUstream* out, unsigned flags, int priority) {
  require(out && (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING)) == 0);
  auto context = current_context();
  auto type = flags & CU_STREAM_NON_BLOCKING ? Stream::Type::NON_BLOCKING : Stream::Type::BLOCKING;
  auto stream = std::make_shared<Stream>(context, type,
                                         std::clamp(priority, GREATEST_PRIORITY, LEAST_PRIORITY));
  context->add_stream(stream);
  *out = new_handle<CUstream>(stream);
  context->adopt(ObjectKind::STREAM, stream->handle_bits());
  return CUDA_SUCCESS;
}

// Returns the context of a stream, or the current one for a default stream; it may be null.
std::shared_ptr<Context> context_of(CUstream handle) {
  const bool is_default =
      handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
  return is_default ? current_context_unchecked() : lookup<Stream>(handle)->context_ptr();
}

void check_attribute(CUlaunchAttributeID id) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

}  // namespace

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  return create(phStream, Flags, LEAST_PRIORITY);
}

CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  return create(phStream, flags, priority);
}

// Queued work still runs; the handle ends immediately.
CUresult cuStreamDestroy_v2(CUstream hStream) {
  auto stream = lookup<Stream>(hStream);
  CUresult error = stream->context().error();
  require(Registry::instance().remove(ObjectKind::STREAM, stream->handle_bits()) != nullptr,
          CUDA_ERROR_INVALID_HANDLE);
  stream->context().disown(stream->handle_bits());
  leave_capture(*stream);
  stream->queue()->retire();
  return error;
}
CUresult cuStreamDestroy(CUstream hStream) { return api::cuStreamDestroy_v2(hStream); }

CUresult cuStreamQuery(CUstream hStream) {
  auto stream = find_stream(hStream);
  refuse_capture(*stream);
  bool idle = stream->idle();
  CUresult error = stream->context().error();  // a fault of work that has just ended
  if (error != CUDA_SUCCESS) return error;
  if (idle) host_waited(*stream);
  return idle ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamSynchronize(CUstream hStream) {
  if (auto context = context_of(hStream)) context->check_and_flush();
  auto stream = find_stream(hStream);
  refuse_capture(*stream);
  stream->synchronize();
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  require((Flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) == 0);
  auto stream = find_stream(hStream);
  auto event = lookup<Event>(hEvent);
  if (Flags & CU_EVENT_WAIT_EXTERNAL) {
    require(captures(*stream) || !event->capture());
    require(captures(*stream), CUDA_ERROR_ILLEGAL_STATE);
    capture_node(*stream, make_wait(hEvent));
    return CUDA_SUCCESS;
  }
  if (captures(*stream) || event->capture()) {
    if (capture_wait(*stream, *event)) return CUDA_SUCCESS;
  }
  order_after(*stream, event->clock());
  if (event->shared()) note_gate(*stream);  // another process may record it
  event->let_wait(*stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
  require(flags != nullptr);
  *flags = find_stream(hStream)->flags();
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  require(priority != nullptr);
  *priority = find_stream(hStream)->priority();
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  require(streamId != nullptr);
  const auto stream = find_stream(hStream);
  refuse_capture(*stream);
  *streamId = stream->id();
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) {
  require(pctx != nullptr);
  *pctx = handle_of<CUcontext>(find_stream(hStream)->context());
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext* pCtx, CUgreenCtx* pGreenCtx) {
  require(pCtx && pGreenCtx);
  *pGreenCtx = nullptr;
  return api::cuStreamGetCtx(hStream, pCtx);
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  require(device != nullptr);
  *device = find_stream(hStream)->context().device().ordinal();
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  require(fn != nullptr);
  auto stream = find_stream(hStream);
  if (captures(*stream)) {
    capture_node(*stream, make_host(fn, userData));
    return CUDA_SUCCESS;
  }
  // A host function may report the end of the work before it to any thread.
  const ClockCopy clock = clock_of(*stream);
  note_gate(*stream);
  stream->submit([fn, userData, clock] {
    host_waited(clock);
    run_callback([&] { fn(userData); });
  });
  return CUDA_SUCCESS;
}

// The old kind of callback also runs after an error, and receives it.
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData,
                             unsigned int flags) {
  require(callback && flags == 0);
  auto stream = find_stream(hStream);
  refuse_capture(*stream);
  auto work = [=, context = stream->context_ptr(), clock = clock_of(*stream)] {
    host_waited(clock);
    CUresult status = context->poisoned() ? context->error() : CUDA_SUCCESS;
    context->output().flush();
    run_callback([&] { callback(hStream, status, userData); });
  };
  note_gate(*stream);
  stream->submit(work, Stream::Run::ALWAYS);
  return CUDA_SUCCESS;
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value_out) {
  require(value_out != nullptr);
  auto stream = find_stream(hStream);
  check_attribute(attr);
  *value_out = stream->attribute(attr);
  if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) value_out->priority = stream->priority();
  // The real driver has no name for the policy of a stream that follows its context.
  if (attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY && !value_out->syncPolicy)
    value_out->syncPolicy = static_cast<CUsynchronizationPolicy>(-1);
  return CUDA_SUCCESS;
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                              const CUstreamAttrValue* value) {
  require(value != nullptr);
  auto stream = find_stream(hStream);
  check_attribute(attr);
  if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
    stream->set_priority(std::clamp(value->priority, GREATEST_PRIORITY, LEAST_PRIORITY));
    return CUDA_SUCCESS;
  }
  if (attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
    require(value->syncPolicy >= CU_SYNC_POLICY_AUTO &&
            value->syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC);
  }
  stream->set_attribute(attr, *value);
  return CUDA_SUCCESS;
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
  auto from = find_stream(src);
  find_stream(dst)->copy_attributes(*from);
  return CUDA_SUCCESS;
}

// Managed memory is always accessible from both sides.
CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t, unsigned int flags) {
  refuse_capture(*find_stream(hStream));
  auto range = AddressSpace::instance().find(dptr);
  require(range && range->kind == MemoryKind::MANAGED);
  require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
          flags == CU_MEM_ATTACH_SINGLE);
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  require(mode && *mode >= CU_STREAM_CAPTURE_MODE_GLOBAL &&
          *mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  std::swap(*mode, thread_state().capture_mode);
  return CUDA_SUCCESS;
}

}  // namespace cucore::cpu::api
