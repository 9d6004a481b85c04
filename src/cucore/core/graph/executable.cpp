// SPDX-License-Identifier: Apache-2.0
#include "core/graph/executable.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/graph/graph_text.hpp"
#include "core/graph/graph_use.hpp"
#include "core/graph/node_change.hpp"
#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/user_object.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

// The destruction may wait for a launch, so the library's thread does it.
class Executable::Destruction final : public DeferredRelease {
 public:
  explicit Destruction(Ref<Context> context) : context_(std::move(context)) {}
  // Destroys an executable without launches.
  ~Destruction() override {
    if (const auto* cu = driver::cuda_if_available()) destroy(*cu);
  }

  bool is_ready() noexcept override { return true; }
  void perform(const driver::CudaTable& cu) noexcept override { destroy(cu); }

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
bool is_refusal(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED ||
         result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

}  // namespace

// The work that was set in an executable. A user object of the driver keeps it until the next whole
// update and until the launches before that end. The executable's lock guards it.
class Executable::Keeper final : public Object {
 public:
  // Makes room, so that the next keep() cannot fail.
  void reserve() {
    if (kept_.size() == kept_.capacity()) kept_.reserve(std::max<size_t>(4, kept_.size() * 2));
  }
  // Replaces earlier work of the node that has no other objects, so that the same node can be set
  // any number of times.
  void keep(NodeNumber node, Ref<const NodeWork> work) noexcept {
    const auto is_covered = [&](const Step& step) {
      return step.node == node && work->keeps_all_of(*step.work);
    };
    const auto found = std::ranges::find_if(kept_, is_covered);
    if (found != kept_.end())
      found->work = std::move(work);
    else
      kept_.push_back({node, std::move(work)});
  }
  void forget() const noexcept {
    for (const Step& step : kept_) step.work->forget();
  }

 private:
  ~Keeper() override = default;
  std::vector<Step> kept_;
};

namespace {

// Lets a graph keep an object during a call that takes the objects of the graph over.
class KeptMeanwhile {
 public:
  KeptMeanwhile(const driver::CudaTable& cu, CUgraph graph, Ref<const Object> object)
      : cu_(cu), graph_(graph), native_(UserObject(cu, std::move(object)).move_to(graph)) {}
  ~KeptMeanwhile() { release_from(cu_, graph_, native_); }
  KeptMeanwhile(const KeptMeanwhile&) = delete;
  KeptMeanwhile& operator=(const KeptMeanwhile&) = delete;

 private:
  const driver::CudaTable& cu_;
  const CUgraph graph_;
  const CUuserObject native_;
};

}  // namespace

Executable::Executable(Ref<GraphRoot> root, std::unique_ptr<Destruction> destruction,
                       Ref<Keeper> keeper, std::vector<Step> steps, bool may_print)
    : root_(std::move(root)),
      destruction_(std::move(destruction)),
      keeper_(std::move(keeper)),
      steps_(std::move(steps)),
      may_print_(may_print) {}

Executable::~Executable() {
  if (root_->context()->is_lost()) {
    keeper_->forget();
    for (const Step& step : steps_)
      if (step.work) step.work->forget();
  }
  defer_release(std::move(destruction_));
}

std::vector<Executable::Step> Executable::steps_of(const GraphBody& graph) {
  std::vector<Step> steps;
  steps.reserve(graph.nodes().size());
  for (const auto& node : graph.nodes()) steps.push_back({node->number, node->work});
  return steps;
}

Ref<Executable> Executable::create(const Graph& graph, const ExecutableOptions& options) {
  graph.require_whole();
  start_deferred_releases();
  auto destruction = std::make_unique<Destruction>(graph.context());
  std::optional<ContextAccess> upload;
  if (options.upload) upload.emplace(*options.upload->context(), "stream");
  auto keeper = make<Keeper>();
  std::vector<Step> steps;
  bool may_print = false;
  {
    const GraphUse use(*graph.root_, *graph.body_);
    const GraphBody& body = *graph.body_;
    steps = steps_of(body);
    const KeptMeanwhile kept(use.cu(), body.native(), keeper);
    body.require_not_captured("make an executable of");
    const driver::RelaxedCaptures relaxed;
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = parameters_of(options);
    const CUresult result =
        use.cu().cuGraphInstantiateWithParams(&destruction->native, body.native(), &parameters);
    if (result == CUDA_ERROR_NOT_SUPPORTED && graph.root_->has_conditions())
      throw Error(Status::UNSUPPORTED,
                  concat("cannot ", describe_failure(body, parameters),
                         "; a graph with conditions has one executable at a time"));
    check(result, [&] { return describe_failure(body, parameters); });
    may_print = body.may_print();
  }
  return make<Executable>(graph.root_, std::move(destruction), std::move(keeper), std::move(steps),
                          may_print);
}

CUgraphExec Executable::native() const { return destruction_->native; }

void Executable::launch(const Stream& stream) const {
  const std::lock_guard lock(mutex_);
  const ContextAccess access(*root_->context(), "executable");
  const ContextAccess stream_access(*stream.context(), "stream");
  const auto call = [&] {
    hold_if_captured(stream, *this);
    return cuda().cuGraphLaunch(native(), stream.native());
  };
  CUresult result = CUDA_SUCCESS;
  if (!stream.needs_current_context()) [[likely]] {
    result = call_without_context(*stream.context(), call);
  } else {
    const driver::ContextGuard guard(stream.context()->native());
    result = call();
  }
  check(result, [&] { return concat("launch an executable graph on ", stream.label()); });
  if (may_print_) stream.context()->output().record_launch();
}

void Executable::upload(const Stream& stream) const {
  const std::lock_guard lock(mutex_);
  const ContextAccess access(*root_->context(), "executable");
  const ContextScope scope(*stream.context(), "stream");
  refuse_in_capture(stream, "upload an executable in");
  const driver::RelaxedCaptures relaxed;
  check(cuda().cuGraphUpload(native(), stream.native()),
        [&] { return concat("upload an executable graph on ", stream.label()); });
}

void Executable::update(const Graph& graph, NodeNumber& culprit) {
  graph.require_whole();
  // The work before ends after the locks, because that may run functions of the program.
  std::vector<Step> steps;
  auto keeper = make<Keeper>();
  const std::lock_guard lock(mutex_);
  const ContextAccess access(*root_->context(), "executable");
  const GraphUse use(*graph.root_, *graph.body_);
  const GraphBody& body = *graph.body_;
  body.require_not_captured("update an executable from");
  steps = steps_of(body);
  {
    const KeptMeanwhile kept(use.cu(), body.native(), keeper);
    CUgraphExecUpdateResultInfo info{};
    const CUresult result = use.cu().cuGraphExecUpdate(native(), body.native(), &info);
    if (result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) {
      const GraphNode* const node = body.find_native(info.errorNode);
      culprit = node ? node->number : 0;
      throw Error(Status::NOT_UPDATABLE, describe_refusal(node, info));
    }
    check(result, "update the executable");
  }
  std::swap(keeper_, keeper);
  for (size_t i = 0; i < steps.size() && i < steps_.size(); ++i)
    std::swap(steps[i].work, steps_[i].work);
  may_print_ = body.may_print();
}

Executable::Step& Executable::find(NodeNumber number) const {
  const auto found = std::ranges::lower_bound(steps_, number, {}, &Step::node);
  if (found != steps_.end() && found->node == number) return *found;
  throw Error(Status::NOT_FOUND, number == 0
                                     ? std::string("node is 0, which is not a node")
                                     : concat("node ", number, " is not a node of the executable"));
}

const GraphNode& Executable::find_node(const Step& step) const {
  return root_->body()->find(step.node);
}

void Executable::replace(const driver::CudaTable& cu, Step& step, Ref<const NodeWork> work) {
  const GraphNode& node = find_node(step);
  require_replaceable(node, step.work.get(), *work);
  const auto refuse = [&](const std::string& why) {
    throw Error(Status::NOT_UPDATABLE,
                concat("cannot set ", describe_node(node), " in the executable: ", why,
                       "; make a new executable"));
  };
  if (step.work)
    if (const std::string why = work->executable_obstacle(*step.work); !why.empty()) refuse(why);
  keeper_->reserve();
  const CUresult result = work->set_in_executable(cu, native(), node.native);
  if (is_refusal(result)) refuse(concat("the driver refuses it (", driver::name_of(result), ")"));
  check(result, [&] { return concat("set ", describe_node(node), " in the executable"); });
  if (work->keeps()) keeper_->keep(step.node, work);
  may_print_ = may_print_ || work->may_print();
  step.work = std::move(work);
}

void Executable::set(NodeNumber number, Ref<const NodeWork> work) {
  Ref<const NodeWork> before;
  const std::lock_guard lock(mutex_);
  const GraphUse use(*root_, *root_->body());
  Step& step = find(number);
  before = step.work;
  replace(use.cu(), step, std::move(work));
}

void Executable::set_kernel(NodeNumber number, KernelChange change, const LaunchHandles& handles) {
  const std::lock_guard lock(mutex_);
  const GraphUse use(*root_, *root_->body());
  Step& step = find(number);
  replace(use.cu(), step,
          changed_kernel(*root_->context(), find_node(step), step.work.get(), std::move(change),
                         handles));
}

void Executable::set_event(NodeNumber number, Ref<const Event> event) {
  const std::lock_guard lock(mutex_);
  const GraphUse use(*root_, *root_->body());
  Step& step = find(number);
  replace(use.cu(), step, event_work(find_node(step), std::move(event)));
}

void Executable::set_child(NodeNumber number, const Graph& child) {
  const std::lock_guard lock(mutex_);
  GraphLocks locks(*root_, *child.root_);
  GraphUse use(std::move(locks.first), *root_, *root_->body());
  child.require_usable();
  use.read(*child.body_);
  replace(use.cu(), find(number), make<ChildWork>(*child.body_));
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
  const std::lock_guard lock(mutex_);
  const GraphUse use(*root_, *root_->body());
  const Step& step = find(number);
  const GraphNode& node = find_node(step);
  require_skippable(node, step.work.get());
  check(use.cu().cuGraphNodeSetEnabled(native(), node.native, is_enabled), [&] {
    return concat(is_enabled ? "enable " : "disable ", describe_node(node), " in the executable");
  });
}

bool Executable::is_enabled(NodeNumber number) const {
  const std::lock_guard lock(mutex_);
  const GraphUse use(*root_, *root_->body());
  const Step& step = find(number);
  const GraphNode& node = find_node(step);
  require_skippable(node, step.work.get());
  unsigned is_enabled = 0;
  check(use.cu().cuGraphNodeGetEnabled(native(), node.native, &is_enabled),
        [&] { return concat("query whether ", describe_node(node), " is enabled"); });
  return is_enabled != 0;
}

}  // namespace cucore::core
