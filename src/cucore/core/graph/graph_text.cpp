// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_text.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/graph/driver_facts.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

std::string title(const GraphNode& node, const NodeFacts& facts) {
  std::string text = name_of(node.kind);
  if (*facts.kernel) text += concat(" ", facts.kernel);
  return text;
}

// A text must not fail because the driver does.
NodeFacts facts_of(const GraphNode& node) noexcept try {
  return node.work ? node.work->facts() : read_facts(driver::cuda(), node.kind, node.native);
} catch (...) {
  return {};
}

std::string shape(const std::array<uint32_t, 3>& size) {
  return concat(size[0], "x", size[1], "x", size[2]);
}

std::string shape(const BoxExtent& extent) {
  return concat(extent.width, "x", extent.height, "x", extent.depth);
}

// The lines of a node in a drawing.
std::string lines(const GraphNode& node) {
  const NodeFacts facts = facts_of(node);
  std::string text = concat(node.number, ": ", title(node, facts));
  if (facts.grid[0]) text += concat("\ngrid ", shape(facts.grid), ", block ", shape(facts.block));
  if (facts.dynamic_shared) text += concat("\nshared ", counted(facts.dynamic_shared, "byte"));
  if (facts.size) text += "\n" + counted(facts.size, "byte");
  if (facts.box.to_row_bytes) text += concat("\nbox ", shape(facts.box.extent));
  if (facts.condition) text += concat("\ncondition ", facts.condition);
  if (node.label) text += "\n" + *node.label;
  return text;
}

std::string quoted_dot(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

// An empty file that ends with the scope.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code none;
    path_ = (std::filesystem::temp_directory_path(none) / "cucore-graph-XXXXXX").string();
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0)
      throw Error(Status::IO, concat("cannot create the file ", path_, " for the text of a graph"));
    close(descriptor);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

std::string describe_node(const GraphNode& node) {
  std::string text = concat("node ", node.number, " (", title(node, facts_of(node)));
  if (node.label) text += concat(", \"", *node.label, "\"");
  return text + ")";
}

std::string to_dot(const GraphBody& graph) {
  std::string text = "digraph {\n";
  for (const auto& node : graph.nodes())
    text += concat("  n", node->number, " [label=", quoted_dot(lines(*node)), "];\n");
  for (const auto& node : graph.nodes())
    for (const NodeEdge& edge : node->after)
      text += concat("  n", node->number, " -> n", edge.node,
                     edge.is_programmatic ? " [style=dashed]" : "", ";\n");
  return text + "}\n";
}

std::string native_dot(const driver::CudaTable& cu, CUgraph graph, uint32_t details) {
  const TemporaryFile file;
  driver::check(cu.cuGraphDebugDotPrint(graph, file.path().c_str(), details),
                "write a graph as text");
  std::ifstream stream(file.path(), std::ios::binary);
  if (!stream) throw Error(Status::IO, concat("cannot read the file ", file.path()));
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace cucore::core
