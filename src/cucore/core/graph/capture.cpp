// SPDX-License-Identifier: Apache-2.0
#include "core/graph/capture.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/graph/held_objects.hpp"
#include "core/objects/capture_session.hpp"
#include "core/objects/context_scope.hpp"
#include "driver/graph_edges.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"
#include "support/log.hpp"

namespace cucore::core {

using driver::CaptureInfo;
using driver::check;
using driver::cuda;
using driver::CudaTable;

namespace {

[[noreturn]] void throw_capture_state(std::string message) {
  throw Error(Status::INVALID_STATE, std::move(message));
}

CaptureInfo info_of_capture(const CudaTable& cu, const Stream& stream) {
  CaptureInfo info;
  check(driver::capture_info(cu, stream.native(), info), "query whether a stream is captured");
  return info;
}

Ref<Graph> as_graph(const Ref<Object>& graph) {
  return Ref<Graph>(static_cast<Graph*>(graph.get()));
}

const char* name_of_mode(CUstreamCaptureMode mode) {
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL ? "PROCESS" : "THREAD";
}

CUresult end_native(const CudaTable& cu, const Stream& stream, CUgraph& graph) noexcept {
  const auto held = stream.hold_records();
  const CUresult result = cu.cuStreamEndCapture(stream.native(), &graph);
  if (result == CUDA_SUCCESS || !driver::is_captured(cu, stream.native())) stream.note_uncaptured();
  return result;
}

// A capture of the driver until a session owns it.
class NewCapture {
 public:
  NewCapture(const CudaTable& cu, const Stream& stream, const Ref<Graph>& into)
      : cu_(cu), stream_(stream), into_(into) {}
  ~NewCapture() {
    if (is_kept_) return;
    CUgraph graph = nullptr;
    (void)end_native(cu_, stream_, graph);
    if (into_)
      into_->end_capture();
    else if (graph)
      driver::check_release(cu_.cuGraphDestroy(graph), "destroy a graph");
  }
  NewCapture(const NewCapture&) = delete;
  NewCapture& operator=(const NewCapture&) = delete;

  void keep() noexcept { is_kept_ = true; }

 private:
  const CudaTable& cu_;
  const Stream& stream_;
  const Ref<Graph>& into_;
  bool is_kept_ = false;
};

// The graph that a capture adds to. It counts as captured until the capture has begun or failed.
class Target {
 public:
  Target(const CudaTable& cu, const CaptureOptions& options) : into_(options.into) {
    if (!into_) return;
    if (!cu.cuStreamBeginCaptureToGraph)
      throw Error(
          Status::UNSUPPORTED,
          concat("captures into a graph need a driver of CUDA 12.3; this one serves ",
                 driver::version_text(cu.version), " (cuStreamBeginCaptureToGraph is missing)"));
    if (!options.after.empty()) after_ = into_->find_nodes(options.after);
    graph_ = into_->begin_capture();
  }
  ~Target() {
    if (into_ && !has_begun_) into_->end_capture();
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  CUresult begin(const CudaTable& cu, CUstream stream, CUstreamCaptureMode mode) {
    const CUresult result = into_ ? cu.cuStreamBeginCaptureToGraph(
                                        stream, graph_, after_.empty() ? nullptr : after_.data(),
                                        nullptr, after_.size(), mode)
                                  : cu.cuStreamBeginCapture(stream, mode);
    has_begun_ = result == CUDA_SUCCESS;
    return result;
  }

 private:
  const Ref<Graph>& into_;
  std::vector<CUgraphNode> after_;
  CUgraph graph_ = nullptr;
  bool has_begun_ = false;
};

void begin_native(const CudaTable& cu, const Stream& stream, Target& target,
                  CUstreamCaptureMode mode) {
  const auto held = stream.hold_records();
  stream.note_captured();  // another thread may have ended a capture since let_capture()
  const CUresult result = target.begin(cu, stream.native(), mode);
  if (result != CUDA_SUCCESS && !driver::is_captured(cu, stream.native())) stream.note_uncaptured();
  check(result, [&] { return concat("begin a capture of ", stream.label()); });
}

// Locks the graph before the records of the stream are held, so that no thread needs the two in the
// other order.
Target make_target(const CudaTable& cu, const Stream& stream, const CaptureOptions& options) {
  try {
    return Target(cu, options);
  } catch (...) {
    const auto held = stream.hold_records();
    if (!driver::is_captured(cu, stream.native())) stream.note_uncaptured();
    throw;
  }
}

}  // namespace

void begin_capture(const Stream& stream, const CaptureOptions& options) {
  stream.require_usable();
  if (stream.kind() == Stream::Kind::LEGACY)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cannot capture ", stream.label(), "; capture another stream"));
  if (options.into) options.into->require_usable();
  stream.let_capture();
  const ContextScope scope(*stream.context(), "stream");
  const auto& cu = cuda();
  if (info_of_capture(cu, stream).status != CU_STREAM_CAPTURE_STATUS_NONE)
    throw_capture_state(
        "cannot begin a capture: the stream is being captured already; end that capture first");
  abort_capture(stream);  // one that other code has ended
  const driver::RestrictingCapture announced(options.mode);
  Target target = make_target(cu, stream, options);
  begin_native(cu, stream, target, options.mode);
  NewCapture begun(cu, stream, options.into);
  const uint64_t id = info_of_capture(cu, stream).id;
  const bool is_into_body = options.into && options.into->is_conditional();
  add_capture(make<CaptureSession>(id, stream, options.mode, options.into, is_into_body));
  stream.note_capture(id);
  begun.keep();
}

namespace {

// How many forks have work that the origin does not come after.
class Joins {
 public:
  Joins(const CudaTable& cu, const CaptureInfo& info, const Stream& origin) : cu_(cu), info_(info) {
    for (const driver::NativeEdge& edge : driver::edges_of(cu, info.graph))
      before_[edge.to].push_back(edge.from);
    std::vector<CUgraphNode> waiting = driver::capture_point(cu, origin.native());
    while (!waiting.empty()) {
      const CUgraphNode node = waiting.back();
      waiting.pop_back();
      if (!joined_.insert(node).second) continue;
      const std::vector<CUgraphNode>& earlier = before_[node];
      waiting.insert(waiting.end(), earlier.begin(), earlier.end());
    }
  }

  bool has_joined(const Stream& fork) const {
    // A fault and a reset of its device have ended its part.
    if (fork.context()->is_lost()) return true;
    const ContextScope scope(*fork.context(), "stream");
    const CaptureInfo info = info_of_capture(cu_, fork);
    if (!info.is_active() || info.id != info_.id) return true;
    for (const CUgraphNode node : driver::capture_point(cu_, fork.native()))
      if (!joined_.contains(node)) return false;
    return true;
  }

 private:
  const CudaTable& cu_;
  const CaptureInfo& info_;
  std::unordered_map<CUgraphNode, std::vector<CUgraphNode>> before_;
  std::unordered_set<CUgraphNode> joined_;
};

size_t count_unjoined(const CudaTable& cu, const CaptureInfo& info, const Stream& origin,
                      const CaptureSession* session) {
  if (!session || !info.is_active()) return 0;
  const std::vector<Ref<const Stream>> forks = session->forks();
  if (forks.empty()) return 0;
  const Joins joins(cu, info, origin);
  size_t unjoined = 0;
  for (const Ref<const Stream>& fork : forks) unjoined += !joins.has_joined(*fork);
  return unjoined;
}

[[noreturn]] void throw_unjoined(size_t count) {
  const std::string streams =
      count == 1   ? "1 stream was forked from it and not joined; let its stream wait for it"
      : count != 0 ? concat(count,
                            " streams were forked from it and not joined; let its stream wait for "
                            "them")
                   : "streams were forked from it and not joined; let its stream wait for them";
  throw Error(Status::INVALID_STATE,
              concat("cannot end the capture: ", streams, " with cucore_stream_wait_stream()"), {},
              {"cuda", CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"});
}

[[noreturn]] void throw_broken(CUresult result, const CaptureSession* session) {
  const std::string cause = session ? session->cause() : std::string();
  const std::string name = driver::name_of(result);
  throw Error(
      Status::INVALID_STATE,
      cause.empty()
          ? concat("the capture was broken by other code (", name, "); nothing of it is kept")
          : concat("the capture was broken by ", cause, "; nothing of it is kept"),
      {}, {"cuda", static_cast<int32_t>(result), name});
}

// Another capture may have the forks already.
void note_uncaptured_forks(const CaptureSession& session) noexcept {
  const CudaTable* const cu = driver::cuda_if_available();
  for (size_t i = 0; const Ref<const Stream> fork = session.fork_at(i); ++i) {
    if (fork->needs_current_context()) continue;  // stays noted
    const ContextAccess access(*fork->context(), std::nothrow);
    if (!cu || !access.is_alive()) continue;
    const auto held = fork->hold_records();
    if (!driver::is_captured(*cu, fork->native())) fork->note_uncaptured();
  }
}

// For a capture that the driver has ended.
void remove_ended(const CaptureSession& session) noexcept {
  remove_capture(session);
  note_uncaptured_forks(session);
}

// Never releases objects that a graph uses and cannot keep.
void leak(CaptureSession& session) noexcept {
  for (Ref<const Object>& object : session.take_held()) (void)object.detach();
}

void move_held_to(const Graph& graph, CaptureSession& session) {
  std::vector<Ref<const Object>> held = session.take_held();
  if (held.empty()) return;
  Ref<const Object> all = make<HeldObjects>(std::move(held));
  try {
    graph.keep(all);
  } catch (...) {
    (void)all.detach();
    throw;
  }
}

// Ends the session of a capture that the driver has ended without a graph. A graph that existed
// before keeps the nodes of a broken capture, and so the objects.
void lose_session(CaptureSession& session) noexcept {
  remove_ended(session);
  const Ref<Graph> graph = as_graph(session.graph());
  if (!graph) return;
  if (!session.is_into()) return graph->lose();
  graph->end_capture();
  if (graph->is_inner()) graph->lose_whole();
  try {
    move_held_to(*graph, session);
  } catch (const std::exception& error) {
    log(LogLevel::ERROR, error.what());
  }
}

// Other code may have begun another capture since.
bool is_over(const CaptureInfo& info, uint64_t id) {
  return info.status == CU_STREAM_CAPTURE_STATUS_NONE || (info.is_active() && info.id != id);
}

Ref<Graph> finish_session(CaptureSession& session, const Ref<Context>& context, CUgraph native) {
  const Ref<Graph> known = as_graph(session.graph());
  remove_ended(session);
  if (!known) return Graph::adopt(context, native, session.take_held());
  if (session.is_into())
    known->end_capture();
  else
    known->take_over();
  move_held_to(*known, session);
  return known;
}

void require_end_here(const Stream& stream, const CaptureSession& session) {
  if (!session.is_origin(stream))
    throw_capture_state(
        "cannot end the capture in a stream that was forked into it; end it in the stream in which "
        "it began");
  if (!session.may_end_here())
    throw_capture_state(concat("cannot end the capture on this thread, because its mode is ",
                               name_of_mode(session.mode()),
                               "; end it on the thread that began it"));
}

}  // namespace

Ref<Graph> end_capture(const Stream& stream) {
  Ref<CaptureSession> session;  // ends after the access to the context, with what it holds
  const ContextScope scope(*stream.context(), "stream");
  const auto& cu = cuda();
  const CaptureInfo info = info_of_capture(cu, stream);
  if (info.status == CU_STREAM_CAPTURE_STATUS_NONE)
    throw_capture_state("cannot end a capture: the stream is not being captured; begin one first");
  session = info.id ? find_capture(info.id) : find_capture(stream);
  if (session) require_end_here(stream, *session);
  const size_t unjoined = count_unjoined(cu, info, stream, session.get());
  CUgraph native = nullptr;
  // A launch that finds the gate open is certain to be captured.
  if (session) session->close_gate();
  const CUresult result = end_native(cu, stream, native);
  if (result == CUDA_SUCCESS)
    return session ? finish_session(*session, stream.context(), native)
                   : Graph::adopt(stream.context(), native);
  CaptureInfo left;
  const bool has_ended =
      driver::capture_info(cu, stream.native(), left) == CUDA_SUCCESS && is_over(left, info.id);
  if (session) has_ended ? lose_session(*session) : session->open_gate();
  if (result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED) throw_unjoined(unjoined);
  if (result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) throw_broken(result, session.get());
  driver::check(result, [&] { return concat("end the capture of ", stream.label()); });
  return nullptr;
}

namespace {

void log_abort(const Stream& stream) noexcept try {
  log(LogLevel::WARNING, concat(stream.label(),
                                " was released while it was captured; its capture "
                                "ends, and nothing of it is kept"));
} catch (const std::exception&) {
  return;  // no memory for the message
}

}  // namespace

void abort_capture(const Stream& stream) noexcept {
  const uint64_t id = stream.begun_capture();
  if (id == 0) return;
  stream.note_capture(0);
  const Ref<CaptureSession> session = find_capture(id);
  if (!session) return;
  const ContextScope scope(*stream.context(), std::nothrow);
  const auto* cu = driver::cuda_if_available();
  if (!cu || !scope.is_alive()) return lose_session(*session);
  CaptureInfo info;
  const bool is_known = driver::capture_info(*cu, stream.native(), info) == CUDA_SUCCESS;
  if (is_known && is_over(info, id)) {
    if (session->is_ending()) return;  // on another thread, which finishes the session
    leak(*session);                    // other code has ended the capture, and may have its graph
    return lose_session(*session);
  }
  log_abort(stream);
  CUgraph native = nullptr;
  (void)end_native(*cu, stream, native);
  const bool is_new = !session->is_into();
  lose_session(*session);
  if (native && is_new) driver::check_release(cu->cuGraphDestroy(native), "destroy a graph");
}

namespace {

struct ActiveCapture {
  CaptureInfo info;
  Ref<CaptureSession> session;
};

ActiveCapture require_capture(const CudaTable& cu, const Stream& stream, const char* action) {
  ActiveCapture active{info_of_capture(cu, stream), nullptr};
  if (active.info.status == CU_STREAM_CAPTURE_STATUS_NONE)
    throw_capture_state(
        concat("cannot ", action, ": the stream is not being captured; begin a capture first"));
  if (!active.info.is_active())
    throw_capture_state(
        concat("cannot ", action, ": the capture is broken; end it for the reason"));
  active.session = find_capture(active.info.id);
  if (!active.session)
    throw_capture_state(concat(
        "cannot ", action, ": other code began the capture with the driver, and has its graph"));
  return active;
}

Ref<Graph> graph_of(const ActiveCapture& active, const Stream& stream) {
  if (const Ref<Object> known = active.session->graph()) return as_graph(known);
  const Ref<Graph> graph = Graph::of_capture(stream.context(), active.info.graph);
  active.session->set_graph(graph);
  return graph;
}

}  // namespace

Ref<Graph> capture_graph(const Stream& stream) {
  const ContextScope scope(*stream.context(), "stream");
  return graph_of(require_capture(cuda(), stream, "return the graph of the capture"), stream);
}

std::vector<NodeNumber> capture_nodes(const Stream& stream) {
  const ContextScope scope(*stream.context(), "stream");
  const ActiveCapture active = require_capture(cuda(), stream, "return the nodes of the capture");
  return graph_of(active, stream)->find_numbers(driver::capture_point(cuda(), stream.native()));
}

void set_capture_nodes(const Stream& stream, std::span<const NodeNumber> nodes) {
  const ContextScope scope(*stream.context(), "stream");
  const ActiveCapture active = require_capture(cuda(), stream, "set the nodes of the capture");
  std::vector<CUgraphNode> natives = graph_of(active, stream)->find_nodes(nodes);
  check(driver::set_capture_point(cuda(), stream.native(), natives), [&] {
    return concat("set the nodes that the next work of ", stream.label(), " comes after");
  });
}

}  // namespace cucore::core
