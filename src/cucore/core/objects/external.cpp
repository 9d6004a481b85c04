// SPDX-License-Identifier: Apache-2.0
#include "core/objects/external.hpp"

#include <utility>

#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/deferred_release.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::cuda;

// The driver requires that all work which uses the semaphore is complete.
class External::Destruction final : public DeferredRelease {
 public:
  explicit Destruction(Ref<Context> context) : context_(std::move(context)) {}
  ~Destruction() override {
    if (const auto* cu = driver::cuda_if_available()) destroy(*cu);
  }

  void perform(const driver::CudaTable& cu) noexcept override { destroy(cu); }

  CUexternalSemaphore native = nullptr;

 private:
  void destroy(const driver::CudaTable& cu) noexcept {
    const CUexternalSemaphore semaphore = std::exchange(native, nullptr);
    if (!semaphore) return;
    const ContextScope scope(*context_, std::nothrow);
    const driver::RelaxedCaptures relaxed;
    if (scope.is_alive() && !driver::is_gone() && cu.cuDestroyExternalSemaphore)
      driver::check_release(cu.cuDestroyExternalSemaphore(semaphore), "destroy a semaphore");
  }

  const Ref<Context> context_;
};

CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_params(uint64_t value) noexcept {
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params{};
  params.params.fence.value = value;
  return params;
}

CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_params(uint64_t value) noexcept {
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params{};
  params.params.fence.value = value;
  return params;
}

namespace {

auto import_function() {
  return driver::require(cuda().cuImportExternalSemaphore, "cuImportExternalSemaphore",
                         SINCE_EXTERNAL);
}

void check_import(CUresult result, const Device& device, int descriptor, bool is_timeline) {
  const char* const kind = is_timeline ? "a timeline semaphore" : "a binary semaphore";
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_HANDLE)
    throw Error(
        Status::INVALID_ARGUMENT,
        concat("the driver cannot import ", kind, " on ", device.label(), " from descriptor ",
               descriptor, "; expected the opaque file descriptor of a semaphore of this kind"),
        {}, {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
  driver::check(result, [&] {
    return concat("import ", kind, " on ", device.label(), " from descriptor ", descriptor);
  });
}

}  // namespace

Ref<External> External::make_semaphore(const Device& device, bool is_timeline) {
  (void)import_function();
  start_deferred_releases();
  const PrimaryScope primary(device);
  if (is_timeline &&
      device.attribute(CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED) == 0)
    throw Error(Status::UNSUPPORTED,
                concat(device.label(),
                       " has no timeline semaphores of other libraries; use a binary semaphore"));
  auto destruction = std::make_unique<Destruction>(primary.context());
  return make<External>(primary.context(), std::move(destruction), is_timeline);
}

void External::import(int descriptor) {
  const auto import = import_function();
  const ContextScope scope(*context_, "semaphore");
  const driver::RelaxedCaptures relaxed;  // an import breaks captures that restrict other calls
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = is_timeline_ ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
                                  : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = descriptor;
  check_import(import(&destruction_->native, &description), device(), descriptor, is_timeline_);
}

External::External(Ref<Context> context, std::unique_ptr<Destruction> destruction, bool is_timeline)
    : context_(std::move(context)),
      destruction_(std::move(destruction)),
      is_timeline_(is_timeline) {}

External::~External() {
  if (!destruction_->native || driver::is_gone()) return;
  {
    const driver::RelaxedCaptures relaxed;
    destruction_->uses().mark();
    StreamUses& uses = destruction_->uses();
    if (!uses.need_blocking_wait() && uses.are_complete()) return;  // its destructor does the rest
  }
  defer_release(std::move(destruction_));
}

CUexternalSemaphore External::native() const { return destruction_->native; }

template <class Call>
void External::add(const Stream& stream, NodeKind kind, Call&& call) const {
  stream.require_on(device(), "semaphore");
  const ContextScope scope(*context_, "semaphore");
  destruction_->uses().add(stream);
  hold_outside_bodies(stream, *this, kind);
  driver::check(call(), [&] {
    const char* const action = kind == NodeKind::SEMAPHORE_SIGNAL ? "signal" : "wait for";
    return concat(action, " a semaphore on ", stream.label());
  });
}

void External::signal(uint64_t value, const Stream& stream) const {
  const auto call = driver::require(cuda().cuSignalExternalSemaphoresAsync,
                                    "cuSignalExternalSemaphoresAsync", SINCE_EXTERNAL);
  add(stream, NodeKind::SEMAPHORE_SIGNAL, [&] {
    const CUexternalSemaphore semaphore = native();
    const auto params = signal_params(value);
    return call(&semaphore, &params, 1, stream.native());
  });
}

void External::wait(uint64_t value, const Stream& stream) const {
  const auto call = driver::require(cuda().cuWaitExternalSemaphoresAsync,
                                    "cuWaitExternalSemaphoresAsync", SINCE_EXTERNAL);
  add(stream, NodeKind::SEMAPHORE_WAIT, [&] {
    const CUexternalSemaphore semaphore = native();
    const auto params = wait_params(value);
    return call(&semaphore, &params, 1, stream.native());
  });
}

}  // namespace cucore::core
