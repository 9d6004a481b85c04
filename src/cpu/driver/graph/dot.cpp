// SPDX-License-Identifier: Apache-2.0
// Writes graphs, their children and their bodies as clusters of DOT.
#include "cpu/driver/graph/dot.hpp"

#include <cstdio>
#include <memory>
#include <unordered_map>

#include "cpu/driver/graph/graph_memory.hpp"

namespace cucore::cpu {
namespace {

constexpr const char* TYPE_NAMES[] = {"KERNEL",       "MEMCPY",     "MEMSET",     "HOST",
                                      "GRAPH",        "EMPTY",      "WAIT_EVENT", "EVENT_RECORD",
                                      "EXT_SIGNAL",   "EXT_WAIT",   "MEM_ALLOC",  "MEM_FREE",
                                      "BATCH_MEM_OP", "CONDITIONAL"};

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}
std::string hex(const void* value) { return hex(reinterpret_cast<uint64_t>(value)); }

// Names of kernels come from PTX, which is not trusted.
std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '{' || c == '}' || c == '|' || c == '<' || c == '>')
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

class Writer {
 public:
  explicit Writer(unsigned flags)
      : flags_(flags & CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE ? ~0u : flags) {}

  std::string text(const Graph& graph) {
    out_ = "digraph dot {\n";
    write(graph);
    return out_ + "}\n";
  }

 private:
  void write(const Graph& graph) {
    const std::string name = "graph_" + std::to_string(++graphs_);
    out_ += "subgraph cluster_" + name + " {\nlabel=\"" + name + "\";\n";
    for (const auto& [number, node] : graph.nodes()) write(name, *node);
    for (const auto& [number, node] : graph.nodes())
      for (const GraphEdge& edge : node->after) write(name, *node, edge);
    out_ += "}\n";
  }

  static std::string id(const std::string& graph, const GraphNode& node) {
    return "\"" + graph + "_node_" + std::to_string(node.number()) + "\"";
  }

  void write(const std::string& graph, const GraphNode& node) {
    out_ += id(graph, node) + " [shape=\"record\" label=\"{" + std::to_string(node.number() - 1) +
            " " + TYPE_NAMES[node.type()] + details(node) + "}\"];\n";
    for (const auto& part : parts_of(node.params)) write(*part);
  }

  void write(const std::string& graph, const GraphNode& node, const GraphEdge& edge) {
    out_ += id(graph, node) + " -> " + id(graph, *edge.node);
    if (!plain(edge.data)) out_ += " [label=\"port " + std::to_string(edge.data.from_port) + "\"]";
    out_ += ";\n";
  }

  bool wants(CUgraphDebugDot_flags flag) const { return flags_ & flag; }

  std::string details(const GraphNode& node) const {
    std::string text;
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)) text += " | handle " + hex(node.handle_bits());
    const NodeParams& p = node.params;
    switch (node.type()) {
      case CU_GRAPH_NODE_TYPE_KERNEL:
        return text + kernel(params_as<KernelParams>(p));
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        return text + copy(params_as<CopyParams>(p).given);
      case CU_GRAPH_NODE_TYPE_MEMSET:
        return text + fill(params_as<FillParams>(p).given);
      case CU_GRAPH_NODE_TYPE_HOST:
        if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS)) return text;
        return text + " | data " + hex(params_as<HostParams>(p).data);
      case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return text + event(*params_as<RecordParams>(p).event);
      case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return text + event(*params_as<WaitParams>(p).event);
      case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) return text;
        return text + memory(*params_as<AllocParams>(p).memory);
      case CU_GRAPH_NODE_TYPE_MEM_FREE:
        if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS)) return text;
        return text + memory(*params_as<FreeParams>(p).memory);
      case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS)) return text;
        return text + semaphores(params_as<SignalParams>(p).list);
      case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS)) return text;
        return text + semaphores(params_as<SemaphoreWaitParams>(p).list);
      case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS)) return text;
        return text + " | " + std::to_string(params_as<MemOpParams>(p).operations.size()) +
               " operations";
      case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return text + conditional(params_as<ConditionalParams>(p).given);
      default:
        return text;
    }
  }

  std::string kernel(const KernelParams& k) const {
    std::string text = " | " + escaped(shown_name(k.function->info().name));
    const auto& g = k.given;
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS)) {
      for (unsigned d : {g.gridDimX, g.gridDimY, g.gridDimZ}) text += " " + std::to_string(d);
      text += " x";
      for (unsigned d : {g.blockDimX, g.blockDimY, g.blockDimZ}) text += " " + std::to_string(d);
      text += " shared " + std::to_string(g.sharedMemBytes);
    }
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES))
      text += " | " + std::to_string(k.attributes.size()) + " attributes";
    return text;
  }

  std::string copy(const CUDA_MEMCPY3D& c) const {
    static constexpr const char* PLACES[] = {"?", "HOST", "DEVICE", "ARRAY", "UNIFIED"};
    std::string text =
        std::string(" | ") + PLACES[c.srcMemoryType] + " to " + PLACES[c.dstMemoryType];
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS))
      text += " | " + std::to_string(c.WidthInBytes) + " " + std::to_string(c.Height) + " " +
              std::to_string(c.Depth);
    return text;
  }

  std::string fill(const CUDA_MEMSET_NODE_PARAMS_v2& f) const {
    if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)) return "";
    return " | " + hex(f.dst) + " value " + std::to_string(f.value) + " of " +
           std::to_string(f.elementSize) + " bytes, " + std::to_string(f.width) + " " +
           std::to_string(f.height);
  }

  std::string event(const Event& e) const {
    if (!wants(CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS)) return "";
    return " | event " + hex(e.handle_bits());
  }

  template <class List>
  static std::string semaphores(const List& list) {
    std::string text;
    for (size_t i = 0; i < list.handles.size(); ++i)
      text += " | semaphore " + hex(list.handles[i]) + " value " +
              std::to_string(list.params[i].params.fence.value);
    return text;
  }

  static std::string memory(const GraphMemory& m) {
    return " | " + hex(m.address()) + " " + std::to_string(m.size()) + " bytes";
  }

  std::string conditional(const CUDA_CONDITIONAL_NODE_PARAMS& c) const {
    static constexpr const char* KINDS[] = {"IF", "WHILE", "SWITCH"};
    std::string text = std::string(" | ") + KINDS[c.type];
    if (wants(CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS))
      text += " | condition " + std::to_string(c.handle);
    return text;
  }

  const unsigned flags_;
  unsigned graphs_ = 0;
  std::string out_;
};

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string dot_text(const Graph& graph, unsigned flags) { return Writer(flags).text(graph); }

void write_dot(const char* path, const std::string& text) {
  std::unique_ptr<std::FILE, Close> file(std::fopen(path, "we"));
  require(file != nullptr, CUDA_ERROR_OPERATING_SYSTEM);
  const bool whole = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                     std::fflush(file.get()) == 0;
  require(whole, CUDA_ERROR_OPERATING_SYSTEM);
}

}  // namespace cucore::cpu
