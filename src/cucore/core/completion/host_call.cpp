// SPDX-License-Identifier: Apache-2.0
#include "core/completion/host_call.hpp"

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/deferred_release.hpp"
#include "support/concat.hpp"

namespace cucore::core {
namespace {

// A call in a stream, until it has run or its context has ended.
struct Pending {
  std::unique_ptr<Held> held;  // allocated before the launch, so that the end needs no memory
  const HostCall* call;
  const Context* context;
  Pending* previous = nullptr;
  Pending* next = nullptr;
};

class PendingCalls {
 public:
  void add(Pending& pending) {
    const std::lock_guard lock(mutex_);
    pending.next = first_;
    if (first_) first_->previous = &pending;
    first_ = &pending;
  }

  void remove(Pending& pending) {
    const std::lock_guard lock(mutex_);
    unlink(pending);
  }

  // Returns one call of the context, or null.
  std::unique_ptr<Pending> take(const Context& context) {
    const std::lock_guard lock(mutex_);
    for (Pending* each = first_; each; each = each->next)
      if (each->context == &context) {
        unlink(*each);
        return std::unique_ptr<Pending>(each);
      }
    return nullptr;
  }

 private:
  void unlink(Pending& pending) {
    (pending.previous ? pending.previous->next : first_) = pending.next;
    if (pending.next) pending.next->previous = pending.previous;
  }

  std::mutex mutex_;
  Pending* first_ = nullptr;
};

constinit PendingCalls pending_calls;
static_assert(std::is_trivially_destructible_v<PendingCalls>);  // no work at exit

void run_in_graph(void* call) noexcept { static_cast<const HostCall*>(call)->run(); }

// The data is released on the library's thread, because its owner may call the driver.
void run_in_stream(void* data) noexcept {
  const std::unique_ptr<Pending> pending(static_cast<Pending*>(data));
  pending_calls.remove(*pending);
  pending->call->run();
  defer_release(std::move(pending->held));
}

CUresult launch_now(const Stream& stream, const HostCall& call, const driver::CudaTable& cu) {
  auto pending = std::make_unique<Pending>();
  pending->held = std::make_unique<Held>(Held{Ref<const Object>(&call)});
  pending->call = &call;
  pending->context = stream.context().get();
  pending_calls.add(*pending);
  const CUresult result = cu.cuLaunchHostFunc(stream.native(), &run_in_stream, pending.get());
  if (result == CUDA_SUCCESS)
    (void)pending.release();  // run_in_stream() owns it
  else
    pending_calls.remove(*pending);
  return result;
}

// A capture that has ended since the caller asked takes no node. Then nothing but the pending call
// would keep the function.
CUresult launch_captured(const Stream& stream, const HostCall& call, const driver::CudaTable& cu) {
  CapturedWork work(stream);
  if (!work.is_captured()) return launch_now(stream, call, cu);
  work.refuse_in_body(NodeKind::HOST);
  work.hold(call);
  return cu.cuLaunchHostFunc(stream.native(), &run_in_graph, const_cast<HostCall*>(&call));
}

}  // namespace

CUhostFn host_function_of_graphs() { return &run_in_graph; }

Ref<const NodeWork> host_work(Ref<const HostCall> call) {
  const auto drop = [](void* data) { static_cast<const HostCall*>(data)->drop_reference(); };
  UserData data(const_cast<HostCall*>(call.detach()), drop);
  return make<HostWork>(&run_in_graph, std::move(data));
}

void launch_host(const Stream& stream, const HostCall& call) {
  constexpr int SINCE = 10000;
  const auto& cu = driver::cuda();
  (void)driver::require(cu.cuLaunchHostFunc, "cuLaunchHostFunc", SINCE);
  stream.require_usable();
  start_deferred_releases();
  const ContextScope scope(*stream.context(), "stream");
  const CUresult result =
      stream.is_capturing() ? launch_captured(stream, call, cu) : launch_now(stream, call, cu);
  driver::check(result, [&] { return concat("add a host function to ", stream.label()); });
}

void launch_host(const Stream& stream, cucore_host_fn function, UserData data) {
  const auto call = make<HostFunction>(function, std::move(data));
  try {
    launch_host(stream, *call);
  } catch (...) {
    call->end_data();
    throw;
  }
}

void drop_host_calls(const Context& context) noexcept {
  while (const auto pending = pending_calls.take(context))
    if (pending->held) defer_release(std::move(pending->held));
}

}  // namespace cucore::core
