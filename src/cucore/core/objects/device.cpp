// SPDX-License-Identifier: Apache-2.0
#include "core/objects/device.hpp"

#include <algorithm>
#include <vector>

#include "core/completion/completion_poller.hpp"
#include "core/completion/host_call.hpp"
#include "core/objects/capture_session.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/deferred_release.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

void Context::throw_lost(const char* what) const {
  throw Error(Status::INVALID_STATE,
              concat("the ", what, " lived in a context of ", device_.label(),
                     " that cucore_device_reset() destroyed; make a new one"));
}

int Device::count() { return driver::device_count(); }

namespace {

[[noreturn]] void throw_no_such_device(int ordinal, int count) {
  throw Error(Status::INVALID_ARGUMENT,
              concat("ordinal is ", ordinal, "; expected 0",
                     count == 1 ? std::string() : concat(" to ", count - 1)));
}

}  // namespace

Ref<Device> Device::open(int ordinal) {
  cuda();
  const int devices = count();
  if (devices == 0)
    throw Error(Status::NO_DEVICE,
                concat("the driver ", cuda().path,
                       " has no device; set CUCORE_DRIVER=cpu to run on the CPU device"));
  if (ordinal < 0 || ordinal >= devices) throw_no_such_device(ordinal, devices);

  // Never destroyed: no work at exit.
  static auto* mutex = new std::mutex;
  static auto* opened = new std::vector<Ref<Device>>;
  std::lock_guard lock(*mutex);
  if (opened->size() < static_cast<size_t>(devices)) opened->resize(static_cast<size_t>(devices));
  Ref<Device>& device = (*opened)[static_cast<size_t>(ordinal)];
  if (!device) device = make<Device>(ordinal);
  return device;
}

Device::Device(int ordinal) : ordinal_(ordinal) {
  check(cuda().cuDeviceGet(&native_, ordinal), [&] { return "open " + label(); });
  read_properties();
  read_limits();
}

std::string Device::label() const { return concat("device ", ordinal_); }

void Device::read_properties() {
  const auto& cu = cuda();
  char buffer[256] = {};
  check(cu.cuDeviceGetName(buffer, sizeof buffer, native_), "read the name of a device");
  name_ = buffer;
  check(cu.cuDeviceGetPCIBusId(buffer, sizeof buffer, native_), "read the PCI address of a device");
  pci_bus_id_ = buffer;
  CUuuid uuid{};
  check(cu.cuDeviceGetUuid(&uuid, native_), "read the UUID of a device");
  std::copy_n(reinterpret_cast<const uint8_t*>(uuid.bytes), uuid_.size(), uuid_.begin());
  major_ = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  minor_ = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  arch_ = concat("sm_", major_, minor_);
  emulated_ = cu.is_cpu;
}

uint32_t Device::limit(CUdevice_attribute attribute) const {
  return static_cast<uint32_t>(this->attribute(attribute));
}

void Device::read_limits() {
  limits_.grid = {limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                  limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                  limit(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
  limits_.block = {limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                   limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                   limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
  limits_.threads_per_block = limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits_.shared_per_block = limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  limits_.shared_per_block_optin = limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits_.cooperative = limit(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  limits_.pools = limit(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
  limits_.managed = limit(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) != 0;
  limits_.access_window = limit(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
  limits_.memory_domains = limit(CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT);
  // CUDA 11.8 introduced the attribute. An older driver has no clusters.
  int clusters = 0;
  const CUresult result =
      cuda().cuDeviceGetAttribute(&clusters, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, native_);
  if (result != CUDA_ERROR_INVALID_VALUE) check(result, "read the limits of a device");
  limits_.clusters = clusters != 0;
}

int Device::attribute(int number) const {
  int value = 0;
  const CUresult result =
      cuda().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(number), native_);
  if (result == CUDA_ERROR_INVALID_VALUE)
    throw Error(
        Status::INVALID_ARGUMENT,
        concat("attribute ", number, " is unknown to the driver of ", label(),
               "; expected a number of CUdevice_attribute in the manual of CUDA's driver API"),
        {}, {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
  check(result, [&] { return concat("read attribute ", number, " of ", label()); });
  return value;
}

void Device::memory(size_t& free_bytes, size_t& total_bytes) const {
  const PrimaryScope primary(*this);
  check(cuda().cuMemGetInfo(&free_bytes, &total_bytes),
        [&] { return "query the memory of " + label(); });
}

bool Device::can_access_peer(const Device& peer) const {
  if (&peer == this) return true;
  int can = 0;
  check(cuda().cuDeviceCanAccessPeer(&can, native_, peer.native_),
        [&] { return concat("query whether ", label(), " can use the memory of ", peer.label()); });
  return can != 0;
}

void Device::stream_priorities(int& least, int& greatest) const {
  const PrimaryScope primary(*this);
  check(cuda().cuCtxGetStreamPriorityRange(&least, &greatest),
        [&] { return "query the stream priorities of " + label(); });
}

void Device::require_priority(int priority, const char* field) const {
  Priorities known = priorities_.load(std::memory_order_relaxed);
  if (known.least < known.greatest) {
    stream_priorities(known.least, known.greatest);
    priorities_.store(known, std::memory_order_relaxed);
  }
  if (priority > known.least || priority < known.greatest)
    throw Error(Status::INVALID_ARGUMENT,
                concat(field, " is ", priority, "; ", label(), " has ", known.least, " (least) to ",
                       known.greatest, " (greatest)"));
}

void Device::synchronize() const {
  const PrimaryScope primary(*this);
  if (has_capture(cuda(), *primary.context()))
    throw Error(Status::INVALID_STATE,
                concat("cannot wait for ", label(),
                       " while a stream of it is being captured: nothing of the capture runs until "
                       "the graph is launched; end the capture first"));
  const driver::RelaxedCaptures relaxed;
  check(cuda().cuCtxSynchronize(), [&] { return "wait for " + label(); });
}

Ref<Context> Device::context() const {
  (void)cuda();  // throws in a forked process, where the mutex may stay locked
  std::lock_guard lock(mutex_);
  return retain_context();
}

const Ref<Context>& Device::retain_context() const {
  const auto& cu = cuda();
  if (context_) return context_;
  const driver::RelaxedCaptures relaxed;
  CUcontext native = nullptr;
  check(cu.cuDevicePrimaryCtxRetain(&native, native_),
        [&] { return "make the primary context of " + label(); });
  try {
    read_priorities(native);
    context_ = make<Context>(*this, native);
  } catch (...) {
    driver::check_release(cu.cuDevicePrimaryCtxRelease(native_), "release a primary context");
    throw;
  }
  return context_;
}

// Now, because a later query may come under locks that a reset waits for.
void Device::read_priorities(CUcontext context) const {
  const driver::ContextGuard guard(context);
  Priorities known;
  check(cuda().cuCtxGetStreamPriorityRange(&known.least, &known.greatest),
        [&] { return "query the stream priorities of " + label(); });
  priorities_.store(known, std::memory_order_relaxed);
}

namespace {

// Marks the context as lost and ends the futures that await its work.
void abandon(const Context& context) {
  if (CompletionPoller* poller = CompletionPoller::find(context.device()))
    poller->abandon(context);
  else
    context.set_lost();
}

}  // namespace

void Device::reset() const {
  const auto& cu = cuda();
  perform_prompt_releases();  // those that are delayed could do nothing in a lost context
  std::lock_guard lock(mutex_);
  if (context_ && has_capture(cu, *context_))
    throw Error(Status::INVALID_STATE,
                concat("cannot reset ", label(),
                       " while a stream of it is being captured; end the capture first"));
  const Ref<Context> old = std::exchange(context_, nullptr);
  if (old) {
    abandon(*old);
    wait_for_accesses(*old);
    old->set_pool(nullptr);
    // In a context that a kernel broke, this returns the kernel's error and releases the context.
    (void)cu.cuDevicePrimaryCtxRelease(native_);
  }
  const CUresult result = cu.cuDevicePrimaryCtxReset(native_);
  if (old) drop_host_calls(*old);
  check(result, [&] { return "reset " + label(); });
  try {
    retain_context();
  } catch (const Error& error) {
    if (error.status() != Status::KERNEL_FAULT) throw;
    // NVIDIA's driver (580, and CUDA's documentation of the error) ends a process's use of CUDA.
    throw Error(Status::KERNEL_FAULT,
                concat("cannot reset ", label(), ": after ", error.origin().name,
                       " this driver makes no new context in the process; restart the process"),
                {}, error.origin());
  }
  log(LogLevel::INFO, concat("reset ", label()));
}

}  // namespace cucore::core
