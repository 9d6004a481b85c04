// SPDX-License-Identifier: Apache-2.0
// The fake driver's nodes, edges, clones and executables. A launch does the work of the nodes at
// once, in an order that the edges permit.
#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "fakes/fake_api.hpp"
#include "fakes/fake_checks.hpp"
#include "fakes/fake_driver.hpp"

namespace fake {

CUgraphNode add_node(CUgraph handle, const CUgraphNode* before, size_t count, GraphNode node) {
  Graph* graph = driver().graphs.find_or_note(handle, "a new node");
  if (!graph) return nullptr;
  for (size_t i = 0; i < count; ++i) {
    const GraphNode* other = driver().graph_nodes.find_or_note(before[i], "a new node");
    if (!other || other->graph != handle || std::find(before, before + i, before[i]) != before + i)
      return nullptr;
    node.before.push_back(before[i]);
  }
  node.graph = handle;
  const CUgraphNode added = driver().graph_nodes.add(std::move(node));
  graph->nodes.push_back(added);
  return added;
}

namespace {

GraphNode& node_at(CUgraphNode handle) { return *driver().graph_nodes.find(handle); }

void remove_graph(CUgraph handle);

void remove_bodies(const std::shared_ptr<std::vector<CUgraph>>& bodies) {
  if (!bodies) return;
  for (const CUgraph body : *bodies) remove_graph(body);
}

void remove_graph(CUgraph handle) {
  const std::vector<CUgraphNode> nodes = driver().graphs.find(handle)->nodes;
  for (const CUgraphNode node : nodes) {
    const CUgraph child = node_at(node).child;
    const auto bodies = node_at(node).bodies;
    driver().graph_nodes.remove(node, "cuGraphDestroy");
    if (child) remove_graph(child);
    remove_bodies(bodies);
  }
  driver().graphs.remove(handle, "cuGraphDestroy");
}

CUgraph clone_graph(CUgraph original, bool is_child) {
  const CUgraph copy = driver().graphs.add({});
  const Graph& from = *driver().graphs.find(original);
  Graph& to = *driver().graphs.find(copy);
  to.kept = from.kept;
  to.is_child = is_child;
  for (const CUgraphNode handle : from.nodes) {
    GraphNode node = node_at(handle);
    node.graph = copy;
    if (node.child) node.child = clone_graph(node.child, true);
    to.nodes.push_back(driver().graph_nodes.add(std::move(node)));
    to.clones[handle] = to.nodes.back();
  }
  for (const CUgraphNode handle : to.nodes)
    for (CUgraphNode& before : node_at(handle).before) before = to.clones[before];
  return copy;
}

// Appends the steps of a graph in an order that its edges permit.
void plan(const Graph& graph, GraphExec& exec) {
  std::set<CUgraphNode> done;
  while (done.size() < graph.nodes.size())
    for (const CUgraphNode handle : graph.nodes) {
      const GraphNode& node = node_at(handle);
      const auto is_done = [&](CUgraphNode other) { return done.contains(other); };
      if (is_done(handle) || !std::ranges::all_of(node.before, is_done)) continue;
      done.insert(handle);
      exec.steps.push_back(node);
      exec.nodes.push_back(handle);
      if (!node.child) continue;
      const size_t at = exec.steps.size() - 1;
      const Graph& child = *driver().graphs.find(node.child);
      plan(child, exec);
      exec.steps[at].kept = child.kept;
      exec.steps[at].steps = exec.steps.size() - 1 - at;
    }
}

GraphExec plan_of(const Graph& graph) {
  GraphExec exec;
  exec.kept = graph.kept;
  plan(graph, exec);
  return exec;
}

// Compares steps with the new ones for them, and returns the first node that differs.
CUgraphExecUpdateResultInfo compare(const GraphExec& now, size_t begin, size_t count,
                                    const GraphExec& next) {
  if (next.steps.size() != count)
    return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
  for (size_t i = 0; i < count; ++i) {
    const GraphNode &old = now.steps[begin + i], &step = next.steps[i];
    if (old.type != step.type)
      return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, next.nodes[i], nullptr};
    if (old.before.size() != step.before.size())
      return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, next.nodes[i], nullptr};
  }
  return {};
}

void take_over(GraphExec& exec, size_t begin, const GraphExec& next) {
  for (size_t i = 0; i < next.steps.size(); ++i) {
    GraphNode& step = exec.steps[begin + i];
    const bool is_enabled = step.is_enabled;
    step = next.steps[i];
    step.is_enabled = is_enabled;
  }
}

bool reaches(CUgraphNode from, CUgraphNode to) {
  const auto& before = node_at(to).before;
  return from == to ||
         std::ranges::any_of(before, [&](CUgraphNode node) { return reaches(from, node); });
}

CUresult add(CUgraphNode* out, CUgraph graph, const CUgraphNode* before, size_t count,
             GraphNode node) {
  *out = add_node(graph, before, count, std::move(node));
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Memory that a node uses must be alive at each launch.
Memory* memory_for(CUdeviceptr address, size_t size, const char* use) {
  Memory* memory = memory_at(address, size);
  if (!memory) calls().violation(std::string(use) + " uses memory that is not allocated");
  return memory;
}

void* host_address(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

GraphNode copy_node(const CUDA_MEMCPY3D& copy) {
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  node.is_row = copy.Height == 1 && copy.Depth == 1;
  node.copy = copy;
  node.run = [copy] {
    if (copy_box(copy) != CUDA_SUCCESS)
      calls().violation("a copy uses memory that is not allocated");
  };
  return node;
}

GraphNode fill_node(const CUDA_MEMSET_NODE_PARAMS& fill) {
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_MEMSET;
  node.fill = fill;
  node.run = [fill] {
    const size_t row = fill.width * fill.elementSize;
    for (size_t y = 0; y < fill.height; ++y) {
      const CUdeviceptr start = fill.dst + y * fill.pitch;
      if (!memory_for(start, row, "a fill")) return;
      for (size_t x = 0; x < row; x += fill.elementSize)
        std::memcpy(host_address(start + x), &fill.value, fill.elementSize);
    }
  };
  return node;
}

// The last node or step with the memory is gone. Memory that a launch has allocated stays.
void end_of_graph(void* bytes) {
  Memory* const memory = memory_at(reinterpret_cast<uintptr_t>(bytes), 1);
  if (memory && memory->is_allocated)
    memory->is_orphan = true;
  else
    free_memory(reinterpret_cast<uintptr_t>(bytes), false, "the end of an allocation node");
}

bool is_memory(const GraphNode& node) {
  return node.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || node.type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

bool has_memory(CUgraph handle) {
  const auto& nodes = driver().graphs.find(handle)->nodes;
  return std::ranges::any_of(nodes, [](CUgraphNode node) { return is_memory(node_at(node)); });
}

bool frees(const std::vector<CUgraphNode>& nodes, CUdeviceptr address) {
  return std::ranges::any_of(nodes, [&](CUgraphNode handle) {
    const GraphNode& node = node_at(handle);
    return node.type == CU_GRAPH_NODE_TYPE_MEM_FREE && node.address == address;
  });
}

// As for NVIDIA's driver, no memory of the launch is allocated, unless it frees that first, and
// memory that it frees is.
bool may_launch(const GraphExec& exec) {
  std::set<CUdeviceptr> own;
  for (const GraphNode& step : exec.steps)
    if (step.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) own.insert(step.address);
  return std::ranges::all_of(exec.steps, [&](const GraphNode& step) {
    if (!is_memory(step)) return true;
    const Memory* const memory = memory_at(step.address, 1);
    if (!memory || !memory->is_of_graph) return true;
    if (step.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) return !memory->is_allocated || exec.frees_first;
    return own.contains(step.address) || memory->is_allocated;
  });
}

GraphNode host_node(const CUDA_HOST_NODE_PARAMS& host) {
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_HOST;
  node.run = [host] { host.fn(host.userData); };
  return node;
}

bool is_valid(const CUDA_MEMSET_NODE_PARAMS& fill) {
  const unsigned size = fill.elementSize;
  return fill.width && fill.height && (size == 1 || size == 2 || size == 4);
}

// Gives the work of another node to a node or a step.
CUresult set(GraphNode* node, const GraphNode& work) {
  NEED(node && node->type == work.type, CUDA_ERROR_INVALID_VALUE);
  node->run = work.run;
  node->is_row = work.is_row;
  node->copy = work.copy;
  node->fill = work.fill;
  return CUDA_SUCCESS;
}

CUresult get_event(const GraphNode* node, CUevent* out, CUgraphNodeType type) {
  NEED(node && node->type == type, CUDA_ERROR_INVALID_VALUE);
  *out = node->event;
  return CUDA_SUCCESS;
}

CUresult set_event(GraphNode* node, CUevent event, CUgraphNodeType type) {
  NEED(driver().events.find_or_note(event, "an event node"), CUDA_ERROR_INVALID_HANDLE);
  NEED(node && node->type == type, CUDA_ERROR_INVALID_VALUE);
  node->event = event;
  return CUDA_SUCCESS;
}

CUresult event_node(CUgraphNode* out, CUgraph graph, const CUgraphNode* before, size_t count,
                    CUevent event, CUgraphNodeType type) {
  NEED(driver().events.find_or_note(event, "an event node"), CUDA_ERROR_INVALID_HANDLE);
  GraphNode node;
  node.type = type;
  node.event = event;
  return add(out, graph, before, count, std::move(node));
}

void record_event(CUevent handle) {
  Event* event = driver().events.find_or_note(handle, "a launch of an event node");
  if (!event) return;
  event->recorded = true;
  event->record_number = ++driver().records;
  if (!driver().held) driver().let_go_up_to = driver().records;
  event->when = std::chrono::steady_clock::now();
}

void run(const GraphNode& step, CUstream stream) {
  if (!step.is_enabled) return;
  if (step.launch) {
    fake_launch launch = *step.launch;
    launch.stream = stream;
    record_launch(launch);
  } else if (step.run) {
    step.run();
  } else if (step.type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) {
    record_event(step.event);
  }
}

}  // namespace

GraphNode allocation_node(CUdeviceptr address) {
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  node.address = address;
  node.memory = {host_address(address), end_of_graph};
  memory_at(address, 1)->is_of_graph = true;
  node.run = [address] {
    if (Memory* const memory = memory_for(address, 1, "an allocation")) memory->is_allocated = true;
  };
  return node;
}

GraphNode free_node(CUdeviceptr address) {
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  node.address = address;
  node.run = [address] {
    Memory* const memory = memory_at(address, 1);
    if (memory && memory->is_of_graph) memory->is_allocated = false;
  };
  return node;
}

// A write takes place; a wait never waits, because a launch does its work at once.
GraphNode word_node(const CUstreamBatchMemOpParams& operation) {
  const bool is_wide = operation.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 ||
                       operation.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
  const bool is_write = operation.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 ||
                        operation.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32;
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  node.run = [operation, size = is_wide ? 8 : 4, is_write] {
    if (memory_for(operation.writeValue.address, size, "a word") && is_write)
      std::memcpy(host_address(operation.writeValue.address), &operation.writeValue.value64, size);
  };
  return node;
}

GraphNode* step_of(CUgraphExec handle, CUgraphNode node) {
  GraphExec* exec = driver().graph_execs.find_or_note(handle, "a change of an executable");
  if (!exec) return nullptr;
  const auto found = std::ranges::find(exec->nodes, node);
  return found == exec->nodes.end() ? nullptr : &exec->steps[found - exec->nodes.begin()];
}

namespace api {

CUresult cuGraphClone(CUgraph* out, CUgraph original) {
  const auto lock = locked();
  NEED(driver().graphs.find_or_note(original, "cuGraphClone"), CUDA_ERROR_INVALID_VALUE);
  NEED(!has_memory(original), CUDA_ERROR_NOT_SUPPORTED);
  *out = clone_graph(original, false);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphDestroy");
  NEED(graph && !graph->is_child, CUDA_ERROR_INVALID_VALUE);
  remove_graph(handle);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphGetNodes");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  if (nodes) std::copy_n(graph->nodes.begin(), std::min(*count, graph->nodes.size()), nodes);
  *count = nodes ? std::min(*count, graph->nodes.size()) : graph->nodes.size();
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  const auto lock = locked();
  const GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphNodeGetType");
  NEED(node, CUDA_ERROR_INVALID_VALUE);
  *type = node->type;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode* out, CUgraphNode original, CUgraph handle) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphNodeFindInClone");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  const auto found = graph->clones.find(original);
  NEED(found != graph->clones.end(), CUDA_ERROR_INVALID_VALUE);
  *out = found->second;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  const auto lock = locked();
  const GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphDestroyNode");
  NEED(node && !has_memory(node->graph), CUDA_ERROR_INVALID_VALUE);
  Graph& graph = *driver().graphs.find(node->graph);
  const CUgraph child = node->child;
  const auto bodies = node->bodies;
  std::erase(graph.nodes, handle);
  for (const CUgraphNode other : graph.nodes) std::erase(node_at(other).before, handle);
  driver().graph_nodes.remove(handle, "cuGraphDestroyNode");
  if (child) remove_graph(child);
  remove_bodies(bodies);
  return CUDA_SUCCESS;
}

// A condition keeps the value that it has at the launch, because no kernel runs.
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* out, CUgraph handle,
                                        CUcontext context, unsigned, unsigned flags) {
  const auto lock = locked();
  RETURN_IF_FAILED(usable(context_of(context)));
  Graph* graph = driver().graphs.find_or_note(handle, "cuGraphConditionalHandleCreate");
  NEED(graph && flags <= CU_GRAPH_COND_ASSIGN_DEFAULT, CUDA_ERROR_INVALID_VALUE);
  graph->has_conditions = true;
  *out = ++driver().conditions;
  return CUDA_SUCCESS;
}

CUresult cuGraphAddNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                        const CUgraphEdgeData*, size_t count, CUgraphNodeParams* params) {
  const auto lock = locked();
  CUDA_CONDITIONAL_NODE_PARAMS& conditional = params->conditional;
  NEED(params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL && conditional.size != 0,
       CUDA_ERROR_INVALID_VALUE);
  const Graph* target = driver().graphs.find_or_note(graph, "cuGraphAddNode");
  NEED(target && target->has_conditions, CUDA_ERROR_INVALID_VALUE);
  GraphNode node;
  node.type = params->type;
  node.bodies = std::make_shared<std::vector<CUgraph>>();
  const auto bodies = node.bodies;
  RETURN_IF_FAILED(add(out, graph, before, count, std::move(node)));
  for (unsigned i = 0; i < conditional.size; ++i) {
    bodies->push_back(driver().graphs.add({}));
    driver().graphs.find(bodies->back())->is_child = true;
  }
  conditional.phGraph_out = bodies->data();
  return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                         size_t* count) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphGetEdges");
  NEED(graph && (from != nullptr) == (to != nullptr), CUDA_ERROR_INVALID_VALUE);
  size_t found = 0;
  for (const CUgraphNode node : graph->nodes)
    for (const CUgraphNode before : node_at(node).before) {
      if (from && found < *count) {
        from[found] = before, to[found] = node;
        if (data) data[found] = {};
      }
      ++found;
    }
  *count = from ? std::min(*count, found) : found;
  return CUDA_SUCCESS;
}
CUresult cuGraphGetEdges_v1(CUgraph handle, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return api::cuGraphGetEdges(handle, from, to, nullptr, count);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                const CUgraphEdgeData*, size_t count) {
  const auto lock = locked();
  for (size_t i = 0; i < count; ++i) {
    const GraphNode* start = driver().graph_nodes.find_or_note(from[i], "cuGraphAddDependencies");
    GraphNode* end = driver().graph_nodes.find_or_note(to[i], "cuGraphAddDependencies");
    NEED(start && end && start->graph == graph && end->graph == graph, CUDA_ERROR_INVALID_VALUE);
    NEED(std::ranges::find(end->before, from[i]) == end->before.end(), CUDA_ERROR_INVALID_VALUE);
    if (reaches(to[i], from[i])) calls().violation("cuGraphAddDependencies closes a circle");
    end->before.push_back(from[i]);
  }
  return CUDA_SUCCESS;
}
CUresult cuGraphAddDependencies_v1(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t count) {
  return api::cuGraphAddDependencies(graph, from, to, nullptr, count);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData*, size_t count) {
  const auto lock = locked();
  NEED(driver().graphs.find_or_note(graph, "cuGraphRemoveDependencies") && !has_memory(graph),
       CUDA_ERROR_INVALID_VALUE);
  for (size_t i = 0; i < count; ++i) {
    GraphNode* end = driver().graph_nodes.find_or_note(to[i], "cuGraphRemoveDependencies");
    NEED(end && end->graph == graph && std::erase(end->before, from[i]) == 1,
         CUDA_ERROR_INVALID_VALUE);
  }
  return CUDA_SUCCESS;
}
CUresult cuGraphRemoveDependencies_v1(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      size_t count) {
  return api::cuGraphRemoveDependencies(graph, from, to, nullptr, count);
}

CUresult cuGraphAddEmptyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                             size_t count) {
  const auto lock = locked();
  return add(out, graph, before, count, {});
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                              size_t count, const CUDA_MEMCPY3D* copy, CUcontext context) {
  const auto lock = locked();
  RETURN_IF_FAILED(usable(context_of(context)));
  NEED(is_valid_box(*copy), CUDA_ERROR_INVALID_VALUE);
  return add(out, graph, before, count, copy_node(*copy));
}

CUresult cuGraphAddMemsetNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS* fill,
                              CUcontext context) {
  const auto lock = locked();
  RETURN_IF_FAILED(usable(context_of(context)));
  NEED(is_valid(*fill), CUDA_ERROR_INVALID_VALUE);
  return add(out, graph, before, count, fill_node(*fill));
}

CUresult cuGraphAddHostNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                            size_t count, const CUDA_HOST_NODE_PARAMS* params) {
  const auto lock = locked();
  NEED(params->fn, CUDA_ERROR_INVALID_VALUE);
  return add(out, graph, before, count, host_node(*params));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D* out) {
  const auto lock = locked();
  const GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphMemcpyNodeGetParams");
  NEED(node && node->type == CU_GRAPH_NODE_TYPE_MEMCPY, CUDA_ERROR_INVALID_VALUE);
  *out = node->copy;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS* out) {
  const auto lock = locked();
  const GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphMemsetNodeGetParams");
  NEED(node && node->type == CU_GRAPH_NODE_TYPE_MEMSET, CUDA_ERROR_INVALID_VALUE);
  *out = node->fill;
  return CUDA_SUCCESS;
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode handle, CUevent* out) {
  const auto lock = locked();
  return get_event(driver().graph_nodes.find_or_note(handle, "cuGraphEventRecordNodeGetEvent"), out,
                   CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode handle, CUevent* out) {
  const auto lock = locked();
  return get_event(driver().graph_nodes.find_or_note(handle, "cuGraphEventWaitNodeGetEvent"), out,
                   CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* copy) {
  const auto lock = locked();
  NEED(is_valid_box(*copy), CUDA_ERROR_INVALID_VALUE);
  return set(driver().graph_nodes.find_or_note(node, "cuGraphMemcpyNodeSetParams"),
             copy_node(*copy));
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* fill) {
  const auto lock = locked();
  NEED(is_valid(*fill), CUDA_ERROR_INVALID_VALUE);
  return set(driver().graph_nodes.find_or_note(node, "cuGraphMemsetNodeSetParams"),
             fill_node(*fill));
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params) {
  const auto lock = locked();
  return set(driver().graph_nodes.find_or_note(node, "cuGraphHostNodeSetParams"),
             host_node(*params));
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  const auto lock = locked();
  return set_event(driver().graph_nodes.find_or_note(node, "cuGraphEventRecordNodeSetEvent"), event,
                   CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  const auto lock = locked();
  return set_event(driver().graph_nodes.find_or_note(node, "cuGraphEventWaitNodeSetEvent"), event,
                   CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* out) {
  const auto lock = locked();
  const GraphNode* node =
      driver().graph_nodes.find_or_note(handle, "cuGraphChildGraphNodeGetGraph");
  NEED(node && node->child, CUDA_ERROR_INVALID_VALUE);
  *out = node->child;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetParams(CUgraphNode handle, CUgraphNodeParams* params) {
  const auto lock = locked();
  GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphNodeSetParams");
  NEED(node && node->child && params->type == CU_GRAPH_NODE_TYPE_GRAPH, CUDA_ERROR_INVALID_VALUE);
  NEED(driver().graphs.find_or_note(params->graph.graph, "cuGraphNodeSetParams"),
       CUDA_ERROR_INVALID_VALUE);
  const CUgraph copy = clone_graph(params->graph.graph, true);
  remove_graph(std::exchange(node_at(handle).child, copy));
  return CUDA_SUCCESS;
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                                   size_t count, CUevent event) {
  const auto lock = locked();
  return event_node(out, graph, before, count, event, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                                 size_t count, CUevent event) {
  const auto lock = locked();
  return event_node(out, graph, before, count, event, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                                  size_t count, CUgraph child) {
  const auto lock = locked();
  NEED(driver().graphs.find_or_note(child, "cuGraphAddChildGraphNode"), CUDA_ERROR_INVALID_VALUE);
  NEED(!has_memory(child), CUDA_ERROR_NOT_SUPPORTED);
  GraphNode node;
  node.type = CU_GRAPH_NODE_TYPE_GRAPH;
  node.child = clone_graph(child, true);
  const CUgraph copy = node.child;
  *out = add_node(graph, before, count, std::move(node));
  if (*out) return CUDA_SUCCESS;
  remove_graph(copy);
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* out, CUgraph handle, const CUgraphNode* before,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* given) {
  const auto lock = locked();
  Context* context = nullptr;
  RETURN_IF_FAILED(current(context));
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphAddMemAllocNode");
  NEED(graph && !graph->is_child && given->bytesize, CUDA_ERROR_INVALID_VALUE);
  NEED(given->poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
           given->poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE,
       CUDA_ERROR_INVALID_VALUE);
  for (size_t i = 0; i < given->accessDescCount; ++i)
    NEED(given->accessDescs[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE &&
             given->accessDescs[i].location.id < driver().settings.device_count,
         CUDA_ERROR_INVALID_VALUE);
  RETURN_IF_FAILED(allocate(context, MemoryKind::DEVICE, given->bytesize, &given->dptr));
  return add(out, handle, before, count, allocation_node(given->dptr));
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* out, CUgraph handle, const CUgraphNode* before,
                               size_t count, CUdeviceptr address) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphAddMemFreeNode");
  const Memory* const memory = memory_at(address, 1);
  NEED(graph && !graph->is_child && memory && memory->is_of_graph, CUDA_ERROR_INVALID_VALUE);
  NEED(!frees(graph->nodes, address), CUDA_ERROR_INVALID_VALUE);
  return add(out, handle, before, count, free_node(address));
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* out, CUgraph graph, const CUgraphNode* before,
                                  size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS* given) {
  const auto lock = locked();
  RETURN_IF_FAILED(usable(context_of(given->ctx)));
  NEED(given->count == 1, CUDA_ERROR_INVALID_VALUE);
  return add(out, graph, before, count, word_node(*given->paramArray));
}

CUresult cuGraphNodeGetToolsId(CUgraphNode handle, unsigned long long* id) {
  const auto lock = locked();
  NEED(driver().graph_nodes.find_or_note(handle, "cuGraphNodeGetToolsId"),
       CUDA_ERROR_INVALID_VALUE);
  *id = reinterpret_cast<uintptr_t>(handle) + 1;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode handle, CUDA_MEM_ALLOC_NODE_PARAMS* out) {
  const auto lock = locked();
  const GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphMemAllocNodeGetParams");
  NEED(node && node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC, CUDA_ERROR_INVALID_VALUE);
  *out = {};
  out->dptr = node->address;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr* address) {
  const auto lock = locked();
  const GraphNode* node = driver().graph_nodes.find_or_note(handle, "cuGraphMemFreeNodeGetParams");
  NEED(node && node->type == CU_GRAPH_NODE_TYPE_MEM_FREE, CUDA_ERROR_INVALID_VALUE);
  *address = node->address;
  return CUDA_SUCCESS;
}

// The bytes that launches have allocated on the device; the peaks are the present numbers.
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void* out) {
  const auto lock = locked();
  NEED(device >= 0 && device < driver().settings.device_count && which <= 3,
       CUDA_ERROR_INVALID_VALUE);
  cuuint64_t bytes = 0;
  for (const auto& [address, memory] : driver().memory)
    if (memory.is_allocated && memory.context->device == device) bytes += memory.bytes.size();
  *static_cast<cuuint64_t*>(out) = bytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void* value) {
  const auto lock = locked();
  NEED(device >= 0 && device < driver().settings.device_count, CUDA_ERROR_INVALID_DEVICE);
  const bool is_peak =
      which == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || which == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
  NEED(is_peak && *static_cast<cuuint64_t*>(value) == 0, CUDA_ERROR_INVALID_VALUE);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  const auto lock = locked();
  NEED(device >= 0 && device < driver().settings.device_count, CUDA_ERROR_INVALID_DEVICE);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph handle, unsigned long long flags) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphInstantiate");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  GraphExec exec = plan_of(*graph);
  exec.frees_first = flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
  if (has_memory(handle)) exec.single = handle;
  bool has_other = false;
  driver().graph_execs.each(
      [&](const GraphExec& other) { has_other |= exec.single && other.single == exec.single; });
  NEED(!has_other, CUDA_ERROR_NOT_SUPPORTED);
  *out = driver().graph_execs.add(std::move(exec));
  return CUDA_SUCCESS;
}

// As for NVIDIA's driver, a graph for launches by kernels has neither host functions nor events.
CUresult cuGraphInstantiateWithParams(CUgraphExec* out, CUgraph handle,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  const auto lock = locked();
  const Graph* graph = driver().graphs.find_or_note(handle, "cuGraphInstantiate");
  NEED(graph, CUDA_ERROR_INVALID_VALUE);
  params->hErrNode_out = nullptr;
  params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  if (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) {
    Context* context = nullptr;
    Stream* stream = nullptr;
    RETURN_IF_FAILED(resolve_work(params->hUploadStream, context, stream, "cuGraphInstantiate"));
  }
  for (const CUgraphNode node : graph->nodes) {
    const CUgraphNodeType type = node_at(node).type;
    const bool is_host_work = type == CU_GRAPH_NODE_TYPE_HOST ||
                              type == CU_GRAPH_NODE_TYPE_EVENT_RECORD ||
                              type == CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    if (!(params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) || !is_host_work) continue;
    params->hErrNode_out = node;
    params->result_out = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    return CUDA_ERROR_INVALID_VALUE;
  }
  params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return api::cuGraphInstantiateWithFlags(out, handle, params->flags);
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  const auto lock = locked();
  return driver().graph_execs.remove(exec, "cuGraphExecDestroy") ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecUpdate(CUgraphExec handle, CUgraph graph_handle,
                           CUgraphExecUpdateResultInfo* info) {
  const auto lock = locked();
  GraphExec* exec = driver().graph_execs.find_or_note(handle, "cuGraphExecUpdate");
  const Graph* graph = driver().graphs.find_or_note(graph_handle, "cuGraphExecUpdate");
  NEED(exec && graph, CUDA_ERROR_INVALID_VALUE);
  const GraphExec next = plan_of(*graph);
  *info = compare(*exec, 0, exec->steps.size(), next);
  if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  take_over(*exec, 0, next);
  exec->kept = next.kept;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec handle, CUgraphNode node, CUgraph child) {
  const auto lock = locked();
  GraphNode* step = step_of(handle, node);
  const Graph* graph = driver().graphs.find_or_note(child, "cuGraphExecChildGraphNodeSetParams");
  NEED(step && step->child && graph, CUDA_ERROR_INVALID_VALUE);
  GraphExec& exec = *driver().graph_execs.find(handle);
  const size_t begin = step - exec.steps.data() + 1;
  const GraphExec next = plan_of(*graph);
  NEED(compare(exec, begin, step->steps, next).result == CU_GRAPH_EXEC_UPDATE_SUCCESS,
       CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  take_over(exec, begin, next);
  step->kept = next.kept;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* copy, CUcontext context) {
  const auto lock = locked();
  RETURN_IF_FAILED(usable(context_of(context)));
  NEED(is_valid_box(*copy), CUDA_ERROR_INVALID_VALUE);
  GraphNode* const step = step_of(exec, node);
  const GraphNode next = copy_node(*copy);
  NEED(step && step->is_row && next.is_row, CUDA_ERROR_INVALID_VALUE);
  return set(step, next);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* fill, CUcontext context) {
  const auto lock = locked();
  RETURN_IF_FAILED(usable(context_of(context)));
  NEED(is_valid(*fill), CUDA_ERROR_INVALID_VALUE);
  return set(step_of(exec, node), fill_node(*fill));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* params) {
  const auto lock = locked();
  return set(step_of(exec, node), host_node(*params));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  const auto lock = locked();
  return set_event(step_of(exec, node), event, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  const auto lock = locked();
  return set_event(step_of(exec, node), event, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

// As for NVIDIA's driver, only the first three types can be left out.
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned is_enabled) {
  const auto lock = locked();
  GraphNode* step = step_of(exec, node);
  NEED(step && step->type <= CU_GRAPH_NODE_TYPE_MEMSET, CUDA_ERROR_INVALID_VALUE);
  step->is_enabled = is_enabled != 0;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* is_enabled) {
  const auto lock = locked();
  const GraphNode* step = step_of(exec, node);
  NEED(step && step->type <= CU_GRAPH_NODE_TYPE_MEMSET, CUDA_ERROR_INVALID_VALUE);
  *is_enabled = step->is_enabled;
  return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream) {
  const auto lock = locked();
  return driver().graph_execs.find_or_note(exec, "cuGraphUpload") ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  const auto lock = locked();
  Context* context = nullptr;
  Stream* stream = nullptr;
  RETURN_IF_FAILED(resolve_work(stream_handle, context, stream, "cuGraphLaunch"));
  const GraphExec* exec = driver().graph_execs.find_or_note(handle, "cuGraphLaunch");
  NEED(exec && may_launch(*exec), CUDA_ERROR_INVALID_VALUE);
  RETURN_IF_FAILED(refuse_captured_work(stream));
  for (const GraphNode& step : exec->steps) run(step, stream_handle);
  return CUDA_SUCCESS;
}

}  // namespace api
}  // namespace fake
