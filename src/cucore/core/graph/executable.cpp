// SPDX-License-Identifier: Apache-2.0
#include "core/graph/executable.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "core/graph/graph_text.hpp"
#include "core/graph/graph_use.hpp"
#include "core/graph/node_change.hpp"
#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/external.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

// The progress of the launches at one time. All work that is replaced before the next launch shares
// it, so that many changes of nodes make one event.
class Executable::LaunchMark {
 public:
  explicit LaunchMark(const StreamUses& launches) {
    uses_.add(launches);
    uses_.mark();
    waits_ = uses_.need_blocking_wait();
  }

  // Returns whether is_complete() may block. Stays true once it is.
  bool may_wait() const noexcept { return waits_; }

  // Returns false if it would have to block and must not. One thread alone may let it block.
  bool is_complete(bool may_block) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (!waits_) {
        const bool is_complete = uses_.are_complete();
        waits_ = uses_.need_blocking_wait();
        return is_complete;
      }
    }
    return may_block && uses_.are_complete();
  }

 private:
  std::mutex mutex_;                // never held during a wait for a device
  StreamUses uses_;                 // that of the thread that may block once `waits_` is true
  std::atomic<bool> waits_{false};  // set with the lock
};

// Waits for the launches, so the library's thread does it.
class Executable::Destruction final : public DeferredRelease {
 public:
  explicit Destruction(Ref<Context> context) : context_(std::move(context)) {}
  // Destroys an executable without launches.
  ~Destruction() override {
    if (const auto* cu = driver::cuda_if_available()) destroy(*cu);
  }

  void perform(const driver::CudaTable& cu) noexcept override { destroy(cu); }

  // The work ends with the executable, and the event of the mark on the library's thread.
  void keep(Ref<const GraphWork> work, std::unordered_map<NodeNumber, Ref<const NodeWork>> changed,
            std::shared_ptr<LaunchMark> mark) noexcept {
    work_ = std::move(work);
    changed_ = std::move(changed);
    mark_ = std::move(mark);
  }

  CUgraphExec native = nullptr;

 private:
  void destroy(const driver::CudaTable& cu) noexcept {
    const CUgraphExec executable = std::exchange(native, nullptr);
    if (!executable) return;
    const ContextScope scope(*context_, std::nothrow);
    if (scope.is_alive())
      driver::check_release(cu.cuGraphExecDestroy(executable), "destroy an executable graph");
  }

  const Ref<Context> context_;
  Ref<const GraphWork> work_;
  std::unordered_map<NodeNumber, Ref<const NodeWork>> changed_;
  std::shared_ptr<LaunchMark> mark_;
};

namespace {

const char* reason_of(CUgraphInstantiateResult result) {
  switch (result) {
    case CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE:
      return "CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE";
    case CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED:
      return "CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED";
    case CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED:
      return "CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED";
    case CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED:
      return "CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED";
    default:
      return "";
  }
}

CUDA_GRAPH_INSTANTIATE_PARAMS parameters_of(const ExecutableOptions& options) {
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters{};
  if (options.free_on_launch) parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
  if (options.device_launch) parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  if (options.node_priority) parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  if (options.upload) {
    parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    parameters.hUploadStream = options.upload->native();
  }
  return parameters;
}

// Returns "create the executable; node 3 (host function) is at fault (CUDA_GRAPH_...)".
std::string describe_failure(const GraphBody& graph,
                             const CUDA_GRAPH_INSTANTIATE_PARAMS& parameters) {
  std::string text = "create the executable";
  const char* const reason = reason_of(parameters.result_out);
  const GraphNode* const node = graph.find_native(parameters.hErrNode_out);
  if (node) text += concat("; ", describe_node(*node), " is at fault");
  if (*reason) text += concat(" (", reason, ")");
  return text;
}

struct Refusal {
  const char *name, *of_node, *of_graph;
};

Refusal refusal_of(CUgraphExecUpdateResult result) {
  switch (result) {
    case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED:
      return {"CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED", "has other neighbours than before",
              "has other nodes or edges than before"};
    case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED:
      return {"CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED", "has another type than before",
              "has a node of another type than before"};
    case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED:
      return {"CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED", "has another kernel than before",
              "has another kernel than before"};
    case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED:
      return {"CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED",
              "has parameters that cannot replace those before",
              "has a node with parameters that cannot replace those before"};
    case CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED:
      return {"CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED", "does work that cannot be updated",
              "has a node that cannot be updated"};
    case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE:
      return {"CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE",
              "has a kernel that cannot replace the one before",
              "has a kernel that cannot replace the one before"};
    case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED:
      return {"CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED",
              "has other launch attributes than before",
              "has a node with other launch attributes than before"};
    default:
      return {"CU_GRAPH_EXEC_UPDATE_ERROR", "differs from before", "differs from before"};
  }
}

// The node at fault is null if it is none of the graph's own.
std::string describe_refusal(const GraphNode* node, const CUgraphExecUpdateResultInfo& info) {
  const Refusal refusal = refusal_of(info.result);
  return concat("cannot update the executable: ", node ? describe_node(*node) : "the graph", " ",
                node ? refusal.of_node : refusal.of_graph, " (", refusal.name,
                "); make a new executable");
}

// The arguments were checked, so the executable cannot take the change.
bool is_executable_refusal(CUresult result) {
  return is_refusal(result) || result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

}  // namespace

// Waits for launches of work that the executable no longer has.
class Executable::RetiredWork final : public DeferredRelease {
 public:
  explicit RetiredWork(std::shared_ptr<LaunchMark> launches) : launches_(std::move(launches)) {}
  bool may_wait() const noexcept override { return may_wait_ = launches_->may_wait(); }
  bool is_ready() noexcept override { return launches_->is_complete(may_wait_); }
  void perform(const driver::CudaTable&) noexcept override { objects.clear(); }

  std::vector<Ref<const Object>> objects;

 private:
  const std::shared_ptr<LaunchMark> launches_;
  mutable bool may_wait_ = false;  // the last answer
};

// Work that an executable no longer has. It ends after the launches before, and after the locks,
// because that may run functions of the program.
class Executable::Retirement {
 public:
  // Makes room for `count` objects, so that add() cannot fail. Null without a launch.
  Retirement(const std::shared_ptr<LaunchMark>& launches, size_t count) {
    objects_.reserve(count);
    if (launches) release_ = std::make_unique<RetiredWork>(launches);
  }
  ~Retirement() {
    if (!release_ || objects_.empty()) return;
    const driver::RelaxedCaptures relaxed;
    if (!release_->may_wait() && release_->is_ready()) return;
    release_->objects = std::move(objects_);
    defer_release(std::move(release_));
  }
  Retirement(const Retirement&) = delete;
  Retirement& operator=(const Retirement&) = delete;

  void add(Ref<const Object> object) noexcept {
    if (object) objects_.push_back(std::move(object));
  }

 private:
  std::unique_ptr<RetiredWork> release_;
  std::vector<Ref<const Object>> objects_;
};

Executable::Executable(Ref<GraphRoot> root, std::unique_ptr<Destruction> destruction,
                       Ref<const GraphWork> work, MemoryEffects memory)
    : native_(destruction->native),
      context_(root->context()),
      memory_(std::move(memory)),
      may_print_(work->may_print()),
      root_(std::move(root)),
      destruction_(std::move(destruction)),
      numbers_(work->numbers()),
      work_(std::move(work)) {}

Executable::~Executable() {
  if (context_->is_lost()) {
    work_->forget();
    for (const auto& [node, work] : changed_) work->forget();
  }
  destruction_->keep(std::move(work_), std::move(changed_), std::move(last_mark_));
  if (driver::forked()) {
    (void)destruction_.release();  // the marks may stay locked
    return;
  }
  {
    const driver::RelaxedCaptures relaxed;
    destruction_->uses().mark();
  }
  // The driver need not wait for a device, so the next creation may destroy it.
  if (!has_uploads_ && !is_handed_out_ && destruction_->uses().is_empty()) destruction_->delay();
  defer_release(std::move(destruction_));
}

Ref<Executable> Executable::create(const Graph& graph, const ExecutableOptions& options) {
  graph.require_whole();
  start_deferred_releases();
  auto destruction = std::make_unique<Destruction>(graph.context());
  // A creation at the same time as a destruction took 1.6 times as long on an H200 as the two in
  // turn, and new memory.
  (void)perform_delayed_release();
  std::optional<ContextAccess> upload;
  if (options.upload) {
    const ContextScope scope(*options.upload->context(), "stream");
    refuse_in_capture(*options.upload, "upload an executable in");
    upload.emplace(*options.upload->context(), "stream");
  }
  const GraphUse use(*graph.root_, *graph.body_, GraphUse::WithPlainNodes());
  const GraphBody& body = *graph.body_;
  graph.root_->require_not_captured(body, "make an executable of");
  const Ref<const GraphWork> work = graph.root_->work();
  const driver::RelaxedCaptures relaxed;
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters = parameters_of(options);
  const auto instantiate = [&] {
    return use.cu().cuGraphInstantiateWithParams(&destruction->native, body.native(), &parameters);
  };
  const bool has_memory = body.has_memory();
  const bool is_single = has_memory || graph.root_->has_conditions();
  MemoryEffects memory = memory_effects_of(body);
  const auto describe = [&] {
    graph.root_->expand();  // the node at fault may be a plain one
    return describe_failure(body, parameters);
  };
  const auto may_have_another = [&](CUresult failure) {
    return failure == CUDA_ERROR_NOT_SUPPORTED && is_single;
  };
  CUresult result = instantiate();
  if (may_have_another(result)) {
    perform_ready_releases();  // of the executable before
    result = instantiate();
  } else if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    perform_prompt_releases();  // of executables without launches
    result = instantiate();
  }
  if (may_have_another(result))
    throw Error(Status::UNSUPPORTED,
                concat("cannot ", describe(), "; a graph ",
                       has_memory ? "that allocates or frees memory" : "with conditions",
                       " has one executable at a time"));
  check(result, describe);
  auto made = make<Executable>(graph.root_, std::move(destruction), work, std::move(memory));
  made->has_uploads_ = options.upload != nullptr;
  return made;
}

const std::shared_ptr<Executable::LaunchMark>& Executable::mark_launches() {
  if (is_marked_ && !is_handed_out_ && !last_mark_->may_wait()) return last_mark_;
  const driver::RelaxedCaptures relaxed;
  last_mark_ = std::make_shared<LaunchMark>(destruction_->uses());
  is_marked_ = true;
  return last_mark_;
}

// The launch before has replaced most of the cache, so the usual launch uses few lines of it.
void Executable::launch(const Stream& stream) const {
  const std::lock_guard lock(usable_mutex());
  is_marked_ = false;
  const ContextAccess access(*context_, "executable");
  std::optional<ContextAccess> stream_access;
  if (stream.context() != context_) [[unlikely]]
    stream_access.emplace(*stream.context(), "stream");
  // The uses keep the mark of the last stream, so no other one has its key.
  if (last_stream_ != stream.mark_key()) [[unlikely]] {
    last_stream_ = nullptr;  // no key if add() throws
    has_launched_ = true;
    if (!destruction_->uses().contains(stream.mark_key())) destruction_->uses().add(stream);
    last_stream_ = stream.mark_key();
  }
  const auto call = [&] {
    if (stream.may_be_captured()) [[unlikely]]
      refuse_in_capture(stream, "launch an executable in");
    return cuda().cuGraphLaunch(native(), stream.native());
  };
  CUresult result = CUDA_SUCCESS;
  {
    MemoryLaunch memory(memory_, stream);
    if (!stream.needs_current_context()) [[likely]] {
      result = call_without_context(*stream.context(), call);
    } else {
      const driver::ContextGuard guard(stream.context()->native());
      result = call();
    }
    memory.note(result);
  }
  if (result != CUDA_SUCCESS) [[unlikely]]
    check_launch(result, stream);
  if (may_print_) stream.context()->output().record_launch();
}

// The driver refuses memory that is still allocated, or not allocated yet.
void Executable::check_launch(CUresult result, const Stream& stream) const {
  if (result == CUDA_ERROR_INVALID_VALUE)
    if (const MemoryEffect* const obstacle = find_obstacle(memory_)) {
      const GraphUse use(*root_, *root_->body());
      const GraphNode& node = root_->body()->find(obstacle->node);
      throw Error(Status::INVALID_STATE, describe_obstacle(*obstacle, describe_node(node)), {},
                  {"cuda", static_cast<int32_t>(result), driver::name_of(result)});
    }
  check(result, [&] { return concat("launch an executable graph on ", stream.label()); });
}

void Executable::upload(const Stream& stream) const {
  const std::lock_guard lock(usable_mutex());
  const ContextAccess access(*context_, "executable");
  const ContextScope scope(*stream.context(), "stream");
  refuse_in_capture(stream, "upload an executable in");
  const driver::RelaxedCaptures relaxed;
  has_uploads_ = true;
  check(cuda().cuGraphUpload(native(), stream.native()),
        [&] { return concat("upload an executable graph on ", stream.label()); });
}

void Executable::update(const Graph& graph, NodeNumber& culprit) {
  graph.require_whole();
  std::optional<Retirement> retirement;  // ends after the locks
  const std::lock_guard lock(usable_mutex());
  const auto& launches = launches_until_now();
  const ContextAccess access(*context_, "executable");
  const GraphUse use(*graph.root_, *graph.body_, GraphUse::WithPlainNodes());
  const GraphBody& body = *graph.body_;
  graph.root_->require_not_captured(body, "update an executable from");
  const Ref<const GraphWork> work = graph.root_->work();
  if (work != work_ || !changed_.empty()) retirement.emplace(launches, changed_.size() + 1);
  CUgraphExecUpdateResultInfo info{};
  const CUresult result = use.cu().cuGraphExecUpdate(native(), body.native(), &info);
  if (result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) {
    graph.root_->expand();
    const GraphNode* const node = body.find_native(info.errorNode);
    culprit = node ? node->number : 0;
    throw Error(Status::NOT_UPDATABLE, describe_refusal(node, info));
  }
  check(result, "update the executable");
  if (retirement) {
    for (auto& [number, changed] : changed_) retirement->add(std::move(changed));
    retirement->add(std::exchange(work_, work));
    changed_.clear();
  }
  may_print_ = work->may_print();
}

Ref<const NodeWork> Executable::find(NodeNumber number) const {
  const auto found = std::ranges::lower_bound(*numbers_, number);
  if (found == numbers_->end() || *found != number)
    throw Error(Status::NOT_FOUND,
                number == 0 ? std::string("node is 0, which is not a node")
                            : concat("node ", number, " is not a node of the executable"));
  const auto changed = changed_.find(number);
  if (changed != changed_.end()) return changed->second;
  return work_->work(static_cast<size_t>(found - numbers_->begin()), *context_);
}

// Work that a failure ends may run functions of the program, so it ends after the locks.
void Executable::replace(const driver::CudaTable& cu, const GraphNode& node, const NodeWork* before,
                         Ref<const NodeWork> work, Retirement& retirement) try {
  exchange(cu, node, before, work, retirement);
} catch (...) {
  retirement.add(std::move(work));
  throw;
}

void Executable::exchange(const driver::CudaTable& cu, const GraphNode& node,
                          const NodeWork* before, Ref<const NodeWork>& work,
                          Retirement& retirement) {
  require_replaceable(node, before, *work);
  const auto refuse = [&](const std::string& why) {
    throw Error(Status::NOT_UPDATABLE,
                concat("cannot set ", describe_node(node), " in the executable: ", why,
                       "; make a new executable"));
  };
  if (before)
    if (const std::string why = work->executable_obstacle(*before); !why.empty()) refuse(why);
  const bool copy_rows = work->copies_rows() || (before && before->copies_rows());
  const auto [place, is_new] = changed_.try_emplace(node.number);
  try {
    const CUresult result = work->set_in_executable(cu, native(), node.native);
    if (!copy_rows) check_refusal(*work, result);
    if (is_executable_refusal(result))
      refuse(concat("the driver refuses it (", driver::name_of(result), ")"));
    check(result, [&] { return concat("set ", describe_node(node), " in the executable"); });
  } catch (...) {
    if (is_new) changed_.erase(place);
    throw;
  }
  may_print_ = may_print_ || work->may_print();
  retirement.add(std::exchange(place->second, std::move(work)));
}

template <class Make>
void Executable::change(NodeNumber number, Make&& make) {
  std::optional<Retirement> retirement;  // ends after the locks
  const std::lock_guard lock(usable_mutex());
  const auto& launches = launches_until_now();
  const GraphUse use(*root_, *root_->body());
  const Ref<const NodeWork> before = find(number);
  const GraphNode& node = root_->body()->find(number);
  retirement.emplace(launches, 1);
  replace(use.cu(), node, before.get(), make(node, before.get()), *retirement);
}

void Executable::set(NodeNumber number, Ref<const NodeWork> work) {
  change(number, [&](const GraphNode&, const NodeWork*) { return std::move(work); });
}

void Executable::set_kernel(NodeNumber number, KernelChange change, const LaunchHandles& handles) {
  // A load may call observers, which may use the graph. So it comes before the locks.
  if (change.kernel) {
    const Context& context = *context_;
    context.require_alive("graph");
    (void)change.kernel->on(context.device());
  }
  this->change(number, [&](const GraphNode& node, const NodeWork* before) {
    return changed_kernel(*context_, node, before, std::move(change), handles);
  });
}

void Executable::set_event(NodeNumber number, Ref<const Event> event) {
  change(number, [&](const GraphNode& node, const NodeWork*) {
    return event_work(node, std::move(event));
  });
}

void Executable::set_semaphore(NodeNumber number, Ref<const External> semaphore, uint64_t value) {
  change(number, [&](const GraphNode& node, const NodeWork*) {
    return semaphore_work(node, std::move(semaphore), value);
  });
}

void Executable::set_child(NodeNumber number, const Graph& child) {
  std::optional<Retirement> retirement;
  const std::lock_guard lock(usable_mutex());
  const auto& launches = launches_until_now();
  GraphLocks locks(*root_, *child.root_);
  GraphUse use(std::move(locks.first), *root_, *root_->body());
  child.require_usable();
  use.read_source(*child.root_, *child.body_, "set a node to");
  const Ref<const NodeWork> before = find(number);
  retirement.emplace(launches, 1);
  replace(use.cu(), root_->body()->find(number), before.get(), make<ChildWork>(*child.body_),
          *retirement);
}

namespace {

// Throws INVALID_ARGUMENT for kinds that the driver cannot leave out.
void require_skippable(const GraphNode& node, const NodeWork* work) {
  const bool is_kind =
      node.kind == NodeKind::KERNEL || node.kind == NodeKind::COPY || node.kind == NodeKind::FILL;
  if (!is_kind || (work && !work->can_be_disabled()))
    throw Error(Status::INVALID_ARGUMENT,
                concat(describe_node(node),
                       " cannot be disabled; expected a kernel, a copy, or a "
                       "fill whose pattern repeats after 4 bytes"));
}

}  // namespace

void Executable::set_enabled(NodeNumber number, bool is_enabled) {
  const std::lock_guard lock(usable_mutex());
  const GraphUse use(*root_, *root_->body());
  const Ref<const NodeWork> work = find(number);
  const GraphNode& node = root_->body()->find(number);
  require_skippable(node, work.get());
  check(use.cu().cuGraphNodeSetEnabled(native(), node.native, is_enabled), [&] {
    return concat(is_enabled ? "enable " : "disable ", describe_node(node), " in the executable");
  });
}

bool Executable::is_enabled(NodeNumber number) const {
  const std::lock_guard lock(usable_mutex());
  const GraphUse use(*root_, *root_->body());
  const Ref<const NodeWork> work = find(number);
  const GraphNode& node = root_->body()->find(number);
  require_skippable(node, work.get());
  unsigned is_enabled = 0;
  check(use.cu().cuGraphNodeGetEnabled(native(), node.native, &is_enabled),
        [&] { return concat("query whether ", describe_node(node), " is enabled"); });
  return is_enabled != 0;
}

}  // namespace cucore::core
