// SPDX-License-Identifier: Apache-2.0
// The state machine of captures.
#include "cpu/driver/graph/capture.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <set>

#include "cpu/driver/device.hpp"
#include "cpu/driver/graph/node_struct.hpp"
#include "cpu/driver/thread_state.hpp"

namespace cucore::cpu {
namespace {

using CaptureRef = std::shared_ptr<CaptureSession>;

struct CaptureList {
  std::vector<CaptureRef> active;
  uint64_t last = 0;
};
CaptureList& capture_list() {                // guarded by the lock of graphs
  static CaptureList& s = *new CaptureList;  // never destroyed
  return s;
}
// Lets calls pass quickly while nothing is captured.
std::atomic<size_t> active_sessions{0};

[[noreturn]] void break_capture(const CaptureRef& session, CUresult code) {
  session->valid = false;
  fail(code);
}

void require_valid(const CaptureRef& session) {
  require(session->valid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

// A blocking stream that captures would have to wait for the default stream, and the reverse.
bool is_implicit(const Stream& legacy, const CaptureSession& session) {
  return std::any_of(session.streams.begin(), session.streams.end(), [&](const auto& stream) {
    return &stream->context() == &legacy.context() && stream->type() != Stream::Type::NON_BLOCKING;
  });
}

void end_capture_session(const CaptureRef& session) {
  for (const auto& stream : session->streams) stream->capture = nullptr;
  session->streams.clear();
  session->ended = true;
  --session->graph->captures;
  std::erase(capture_list().active, session);
  active_sessions = capture_list().active.size();
}

// Ends the graph of a capture that has failed. Other captures may fill its children.
void destroy_graph_of(const CaptureRef& session) {
  each_graph(*session->graph, [](const Graph& graph) {
    for (const CaptureRef& other : capture_list().active)
      if (other->graph.get() == &graph) other->valid = false;
  });
  session->graph->destroy();
}

void join(const CaptureRef& session, const std::shared_ptr<Stream>& stream, CapturePoint point) {
  auto capture = std::make_shared<StreamCapture>();
  capture->session = session;
  capture->point = std::move(point);
  session->streams.push_back(stream);
  stream->capture = std::move(capture);
}

std::vector<GraphEdge> edges_at(const CapturePoint& point) {
  std::vector<GraphEdge> edges;
  for (size_t i = 0; i < point.nodes.size(); ++i) {
    auto node = find_node(reinterpret_cast<CUgraphNode>(point.nodes[i]));
    edges.push_back({node.get(), point.data[i]});
  }
  return edges;
}

// The caller holds the lock.
void add_node(Stream& stream, NodeParams params, std::vector<GraphEdge> edges) {
  StreamCapture& capture = *stream.capture;
  Graph& graph = *capture.session->graph;
  CapturePoint point;
  point.add(0, {});  // makes room before the node exists
  GraphNode& node = graph.add(std::move(params), edges);
  adopt(graph, node);
  point.nodes.front() = node.handle_bits();
  capture.point = std::move(point);
}

StreamCapture& active_capture(Stream& stream) {
  require(stream.capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
  require_valid(stream.capture->session);
  return *stream.capture;
}

std::set<uint64_t> ancestors(const CapturePoint& point) {
  std::set<uint64_t> seen;
  std::vector<uint64_t> pending = point.nodes;
  while (!pending.empty()) {
    const uint64_t handle = pending.back();
    pending.pop_back();
    if (!seen.insert(handle).second) continue;
    auto node = Registry::instance().find(ObjectKind::GRAPH_NODE, handle);
    if (!node) continue;
    for (const GraphEdge& edge : static_cast<GraphNode&>(*node).before)
      pending.push_back(edge.node->handle_bits());
  }
  return seen;
}

bool joined(const CaptureSession& session) {
  std::set<uint64_t> reached;
  for (const auto& stream : session.streams)
    if (stream.get() == session.origin) reached = ancestors(stream->capture->point);
  auto is_joined = [&](const CapturePoint& point) {
    return std::all_of(point.nodes.begin(), point.nodes.end(),
                       [&](uint64_t node) { return reached.count(node) != 0; });
  };
  return std::all_of(session.streams.begin(), session.streams.end(),
                     [&](const auto& stream) { return is_joined(stream->capture->point); }) &&
         std::all_of(session.left.begin(), session.left.end(), is_joined);
}

constexpr auto UNSAFE_CALLS = [] {
  std::array<bool, CALL_COUNT> unsafe{};
#define UNSAFE(name) unsafe[static_cast<size_t>(CallId::name)] = true;
#include "cpu/driver/graph/unsafe_calls.inc"
#undef UNSAFE
  return unsafe;
}();

// Edges of a kernel that may begin before the kernels before it end.
void make_programmatic(std::vector<GraphEdge>& edges) {
  for (GraphEdge& edge : edges) {
    if (edge.node->type() != CU_GRAPH_NODE_TYPE_KERNEL) continue;
    edge.data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    edge.data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }
}

}  // namespace

void CapturePoint::add(uint64_t node, const CUgraphEdgeData& edge) {
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i] == node && equal(data[i], edge)) return;
  nodes.reserve(nodes.size() + 1);  // so that both grow, or neither
  data.push_back(edge);
  nodes.push_back(node);
}

bool captures(Stream& stream) {
  if (active_sessions.load(std::memory_order_acquire) == 0) return false;
  GraphLock lock;
  if (stream.capture) {
    require_valid(stream.capture->session);
    return true;
  }
  if (stream.type() != Stream::Type::LEGACY) return false;
  bool implicit = false;
  for (const CaptureRef& session : capture_list().active) {
    if (!is_implicit(stream, *session)) continue;
    session->valid = false;
    implicit = true;
  }
  require(!implicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  return false;
}

StreamCapture* find_capture(Stream& stream) {
  if (stream.type() == Stream::Type::LEGACY) {
    for (const CaptureRef& session : capture_list().active)
      require(!is_implicit(stream, *session), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  }
  return stream.capture.get();
}

void refuse_capture(Stream& stream) {
  if (!captures(stream)) return;
  GraphLock lock;
  if (stream.capture) break_capture(stream.capture->session, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

void refuse_captured(const Event& event) {
  auto capture = event.capture();
  if (!capture) return;
  GraphLock lock;
  break_capture(capture->session, CUDA_ERROR_CAPTURED_EVENT);
}

void capture_node(Stream& stream, NodeParams params) {
  GraphLock lock;
  const StreamCapture& capture = active_capture(stream);
  add_node(stream, std::move(params), edges_at(capture.point));
}

void capture_kernel(Stream& stream, const CUDA_KERNEL_NODE_PARAMS_v2& given,
                    const CUlaunchAttribute* attributes, unsigned count) {
  NodeAttributes kept;
  bool programmatic = false;
  for (unsigned i = 0; i < count; ++i) {
    const CUlaunchAttribute& a = attributes[i];
    if (a.id == CU_LAUNCH_ATTRIBUTE_IGNORE) continue;
    if (a.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      programmatic = a.value.programmaticStreamSerializationAllowed != 0;
      continue;
    }
    require(a.id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT &&
                a.id != CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
            CUDA_ERROR_NOT_SUPPORTED);
    check_node_attribute(a.id, a.value);
    kept[a.id] = a.value;
  }
  if (!kept.count(CU_LAUNCH_ATTRIBUTE_PRIORITY))
    kept[CU_LAUNCH_ATTRIBUTE_PRIORITY].priority = stream.priority();
  NodeParams kernel = make_kernel(given, std::move(kept));
  GraphLock lock;
  auto edges = edges_at(active_capture(stream).point);
  if (programmatic) make_programmatic(edges);
  add_node(stream, std::move(kernel), std::move(edges));
}

void capture_record(Stream& stream, Event& event) {
  GraphLock lock;
  const StreamCapture& capture = active_capture(stream);
  event.record_in_capture(
      std::make_shared<const EventCapture>(EventCapture{capture.session, capture.point}));
}

bool capture_wait(Stream& stream, const Event& event) {
  GraphLock lock;
  auto recorded = event.capture();
  const CaptureRef own = stream.capture ? stream.capture->session : nullptr;
  if (own) require_valid(own);
  if (!recorded) {
    if (own && event.recorded()) break_capture(own, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    return own != nullptr;
  }
  const CaptureRef& other = recorded->session;
  if (other->ended && own) break_capture(own, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  require(!other->ended, CUDA_ERROR_CAPTURED_EVENT);
  require_valid(other);
  if (own && own != other) {
    own->valid = false;
    break_capture(other, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (!own && stream.type() == Stream::Type::LEGACY)
    break_capture(other, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (!own) {
    join(other, stream.shared_from_this(), recorded->point);
    return true;
  }
  for (size_t i = 0; i < recorded->point.nodes.size(); ++i)
    stream.capture->point.add(recorded->point.nodes[i], recorded->point.data[i]);
  return true;
}

uint64_t capture_allocation(Stream& stream, Device& device, uint64_t size) {
  CUDA_MEM_ALLOC_NODE_PARAMS given{};
  given.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  given.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, device.ordinal()};
  given.bytesize = size;
  GraphLock lock;
  const StreamCapture& capture = active_capture(stream);
  auto params = make_alloc(*capture.session->graph, stream.context(), given);
  add_node(stream, std::move(params), edges_at(capture.point));
  return given.dptr;
}

void capture_free(Stream& stream, uint64_t address) {
  GraphLock lock;
  const StreamCapture& capture = active_capture(stream);
  auto params = make_free(*capture.session->graph, address);
  add_node(stream, std::move(params), edges_at(capture.point));
}

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                   std::shared_ptr<Graph> into, CapturePoint point) {
  require(mode >= CU_STREAM_CAPTURE_MODE_GLOBAL && mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  require(stream->type() != Stream::Type::LEGACY, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  require(!stream->capture, CUDA_ERROR_ILLEGAL_STATE);
  auto session = std::make_shared<CaptureSession>();
  session->id = ++capture_list().last;
  session->mode = mode;
  session->into_existing = into != nullptr;
  session->graph = into ? std::move(into) : Graph::make();
  session->thread = std::this_thread::get_id();
  session->origin = stream.get();
  auto& active = capture_list().active;
  active.reserve(active.size() + 1);  // so that nothing fails after the stream has joined
  join(session, stream, std::move(point));
  ++session->graph->captures;
  active.push_back(session);
  active_sessions = capture_list().active.size();
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  require(stream.capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
  const CaptureRef session = stream.capture->session;
  if (session->origin != &stream) break_capture(session, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  require(session->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
              session->thread == std::this_thread::get_id(),
          CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  const CUresult code = !session->valid     ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                        : !joined(*session) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                            : CUDA_SUCCESS;
  end_capture_session(session);
  session->valid = code == CUDA_SUCCESS;
  if (code != CUDA_SUCCESS && !session->into_existing) destroy_graph_of(session);
  require(code == CUDA_SUCCESS, code);
  // A new graph is the program's from now on.
  if (!session->into_existing) Registry::instance().renew(session->graph->handle_bits());
  return session->graph;
}

void leave_capture(Stream& stream) {
  if (active_sessions.load(std::memory_order_acquire) == 0) return;
  GraphLock lock;
  if (!stream.capture) return;
  const CaptureRef session = stream.capture->session;
  if (session->origin != &stream) {
    session->left.push_back(std::move(stream.capture->point));
    std::erase_if(session->streams, [&](const auto& s) { return s.get() == &stream; });
    stream.capture = nullptr;
    return;
  }
  session->valid = false;
  end_capture_session(session);
  if (!session->into_existing) destroy_graph_of(session);
}

CUresult admit_during_capture(CallId call) {
  if (active_sessions.load(std::memory_order_acquire) == 0) return CUDA_SUCCESS;
  return UNSAFE_CALLS[static_cast<size_t>(call)] ? admit_unsafe_work() : CUDA_SUCCESS;
}

CUresult admit_unsafe_work() {
  if (active_sessions.load(std::memory_order_acquire) == 0) return CUDA_SUCCESS;
  const CUstreamCaptureMode mode = thread_state().capture_mode;
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  GraphLock lock;
  CUresult result = CUDA_SUCCESS;
  for (const CaptureRef& session : capture_list().active) {
    const bool local = session->thread == std::this_thread::get_id() &&
                       session->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    const bool global =
        mode == CU_STREAM_CAPTURE_MODE_GLOBAL && session->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!local && !global) continue;
    session->valid = false;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

}  // namespace cucore::cpu
