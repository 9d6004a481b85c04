// SPDX-License-Identifier: Apache-2.0
#include "core/graph/executable.hpp"

#include <optional>
#include <utility>

#include "core/graph/graph_text.hpp"
#include "core/graph/graph_use.hpp"
#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

// The destruction may wait for a launch, so the library's thread does it.
class Executable::Destruction final : public DeferredRelease {
 public:
  explicit Destruction(Ref<Context> context) : context_(std::move(context)) {}
  // Destroys an executable that nobody has launched.
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

}  // namespace

Executable::Executable(Ref<GraphRoot> root, std::unique_ptr<Destruction> destruction,
                       bool may_print)
    : root_(std::move(root)), destruction_(std::move(destruction)), may_print_(may_print) {}

Executable::~Executable() { defer_release(std::move(destruction_)); }

Ref<Executable> Executable::create(const Graph& graph, const ExecutableOptions& options) {
  start_deferred_releases();
  auto destruction = std::make_unique<Destruction>(graph.context());
  std::optional<ContextAccess> upload;
  if (options.upload) upload.emplace(*options.upload->context(), "stream");
  bool may_print = false;
  {
    const GraphUse use(*graph.root_, *graph.body_);
    const GraphBody& body = *graph.body_;
    CUDA_GRAPH_INSTANTIATE_PARAMS parameters = parameters_of(options);
    check(use.cu().cuGraphInstantiateWithParams(&destruction->native, body.native(), &parameters),
          [&] { return describe_failure(body, parameters); });
    may_print = body.may_print();
  }
  return make<Executable>(graph.root_, std::move(destruction), may_print);
}

CUgraphExec Executable::native() const { return destruction_->native; }

void Executable::launch(const Stream& stream) const {
  const std::lock_guard lock(mutex_);
  const ContextAccess access(*root_->context(), "executable");
  const ContextAccess stream_access(*stream.context(), "stream");
  const auto call = [&] { return cuda().cuGraphLaunch(native(), stream.native()); };
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
  check(cuda().cuGraphUpload(native(), stream.native()),
        [&] { return concat("upload an executable graph on ", stream.label()); });
}

}  // namespace cucore::core
