// SPDX-License-Identifier: Apache-2.0
// Contexts: primary and created ones, the stack, limits, peers.
#include <algorithm>

#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/process.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/driver/thread_state.hpp"

namespace cucore::cpu::api {
namespace {

constexpr size_t MOST_STACK = 512 << 10;  // local memory per thread

std::shared_ptr<Context> context(CUcontext handle) {
  return lookup<Context>(handle, CUDA_ERROR_INVALID_CONTEXT);
}

// Returns the context; NULL means the thread's current one.
std::shared_ptr<Context> context_or_current(CUcontext handle) {
  auto found = handle ? context(handle) : current_context_unchecked();
  require(found != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  return found;
}

void require_context_flags(unsigned flags) {
  constexpr unsigned KNOWN = CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX |
                             CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE |
                             CU_CTX_SYNC_MEMOPS;
  unsigned scheduling = flags & CU_CTX_SCHED_MASK;
  require((flags & ~KNOWN) == 0);
  require((scheduling & (scheduling - 1)) == 0);  // at most one of spin, yield and blocking
}

// As in the real driver, a size near the end of 64 bits wraps to 0.
size_t at_least(size_t value, size_t least, size_t unit) {
  return (std::max(value, least) + unit - 1) / unit * unit;
}

// Returns the value that the context keeps for the requested one.
size_t accepted_limit(const Profile& profile, CUlimit limit, size_t value) {
  const auto value_of = [&](CUdevice_attribute a) { return static_cast<size_t>(profile.value(a)); };
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      require(value < MOST_STACK);
      return at_least(value, 0, 16);
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      return at_least(value, 512 << 10, 64 << 10);
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      return at_least(value, 4 << 20, 64 << 10);
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return at_least(value, 32, 1);
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      require(value <= 128);
      return value;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
      require(value <= value_of(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE));
      return value;
    case CU_LIMIT_SHMEM_SIZE:
    case CU_LIMIT_CIG_ENABLED:
      fail(CUDA_ERROR_NOT_PERMITTED);  // only contexts that share with graphics have these
    default:
      return value;
  }
}

CUresult create(CUcontext* out, unsigned flags, CUdevice dev) {
  require(out != nullptr);
  require_context_flags(flags);
  auto made = std::make_shared<Context>(find_device(dev), false);
  // The real driver reports the core dumps of a user as those of all contexts.
  if (flags & CU_CTX_USER_COREDUMP_ENABLE)
    flags = (flags & ~CU_CTX_USER_COREDUMP_ENABLE) | CU_CTX_COREDUMP_ENABLE;
  made->open(flags);
  *out = new_handle<CUcontext>(made);
  thread_state().stack.push_back(std::move(made));
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  require(pctx != nullptr);
  *pctx = handle_of<CUcontext>(*find_device(dev).retain_primary());
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  find_device(dev).release_primary();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice dev) { return api::cuDevicePrimaryCtxRelease_v2(dev); }

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  find_device(dev).reset_primary();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset(CUdevice dev) { return api::cuDevicePrimaryCtxReset_v2(dev); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  Device& d = find_device(dev);
  require(!(flags & CU_CTX_MAP_HOST));  // every primary context has it
  require_context_flags(flags);
  d.set_primary_flags(flags);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  unsigned before = 0;
  int active = 0;
  find_device(dev).primary_state(before, active);
  require(!active, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE);
  return api::cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  require(flags && active);
  find_device(dev).primary_state(*flags, *active);
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam* paramsArray, int numParams,
                        unsigned int flags, CUdevice dev) {
  require(numParams <= 0 || paramsArray);
  require(numParams <= 0, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
  return create(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext* pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags,
                        CUdevice dev) {
  bool plain = !ctxCreateParams ||
               (ctxCreateParams->numExecAffinityParams == 0 && !ctxCreateParams->cigParams);
  require(plain, CUDA_ERROR_NOT_SUPPORTED);
  return create(pctx, flags, dev);
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  require(ctx != nullptr);
  auto gone = context(ctx);
  require(!gone->primary(), CUDA_ERROR_INVALID_CONTEXT);
  require(Registry::instance().remove(ObjectKind::CONTEXT, gone->handle_bits()) != nullptr,
          CUDA_ERROR_INVALID_CONTEXT);
  auto& stack = thread_state().stack;
  if (!stack.empty() && stack.back() == gone) stack.pop_back();
  gone->close();
  return CUDA_SUCCESS;
}
CUresult cuCtxDestroy(CUcontext ctx) { return api::cuCtxDestroy_v2(ctx); }

CUresult cuCtxSetCurrent(CUcontext ctx) {
  auto& stack = thread_state().stack;
  if (!ctx) {
    if (!stack.empty()) stack.pop_back();
    return CUDA_SUCCESS;
  }
  auto wanted = context(ctx);
  if (stack.empty())
    stack.push_back(std::move(wanted));
  else
    stack.back() = std::move(wanted);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* pctx) {
  require(pctx != nullptr);
  auto current = current_context_unchecked();
  *pctx = current ? handle_of<CUcontext>(*current) : nullptr;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  require(ctx != nullptr);
  thread_state().stack.push_back(context(ctx));
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext ctx) { return api::cuCtxPushCurrent_v2(ctx); }

CUresult cuCtxPopCurrent_v2(CUcontext* pctx) {
  auto& stack = thread_state().stack;
  require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT);
  if (pctx) *pctx = handle_of<CUcontext>(*stack.back());
  stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* pctx) { return api::cuCtxPopCurrent_v2(pctx); }

CUresult cuCtxGetDevice(CUdevice* out) {
  require(out != nullptr);
  *out = context_or_current(nullptr)->device().ordinal();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice_v2(CUdevice* out, CUcontext ctx) {
  require(out != nullptr);
  *out = context_or_current(ctx)->device().ordinal();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return api::cuCtxSynchronize_v2(nullptr); }

CUresult cuCtxSynchronize_v2(CUcontext ctx) {
  auto c = context_or_current(ctx);
  c->check_and_flush();
  c->synchronize();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  require(flags != nullptr);
  *flags = context_or_current(nullptr)->flags();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags) {
  constexpr unsigned CHANGEABLE =
      CU_CTX_SCHED_MASK | CU_CTX_LMEM_RESIZE_TO_MAX | CU_CTX_SYNC_MEMOPS;
  require_context_flags(flags);
  current_context()->set_flags(flags & CHANGEABLE);  // the others are fixed at the creation
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long* ctxId) {
  require(ctxId != nullptr);
  auto c = context_or_current(ctx);
  require(c->alive(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  *ctxId = c->id();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int* version) {
  require(version != nullptr);
  context_or_current(ctx);
  *version = 3020;  // version of the context API, the same in all drivers since
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  auto c = current_context();
  require(limit >= 0 && limit < CU_LIMIT_MAX);
  c->set_limit(limit, accepted_limit(c->device().profile(), limit, value));
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t* pvalue, CUlimit limit) {
  require(pvalue && limit >= 0 && limit < CU_LIMIT_MAX);
  *pvalue = current_context()->limit(limit);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  if (leastPriority) *leastPriority = LEAST_PRIORITY;
  if (greatestPriority) *greatestPriority = GREATEST_PRIORITY;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  require(Flags == 0);
  auto own = current_context();
  auto peer = context(peerContext);
  require(peer->alive(), CUDA_ERROR_INVALID_CONTEXT);
  require(&own->device() != &peer->device(), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  require(own->enable_peer(*peer), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  auto peer = context(peerContext);
  require(current_context()->disable_peer(*peer), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* pconfig) {
  require(pconfig != nullptr);
  *pconfig = current_context()->cache_config;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL);
  current_context()->cache_config = config;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* pConfig) {
  require(pConfig != nullptr);
  *pConfig = current_context()->shared_config;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  require(config >= 0 && config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  return CUDA_SUCCESS;  // banks are fixed since Maxwell; the call has no effect
}

CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }

}  // namespace cucore::cpu::api
