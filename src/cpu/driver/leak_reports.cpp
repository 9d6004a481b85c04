// SPDX-License-Identifier: Apache-2.0
// Makes one report per allocation or object, with the call that made it.
#include "cpu/driver/leak_reports.hpp"

#include <atomic>
#include <string_view>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/graph/executable.hpp"
#include "cpu/driver/graph/graph.hpp"
#include "cpu/exec/fault.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {
namespace {

std::atomic<uint64_t> g_allocations{0}, g_objects{0};

bool is_enabled() { return enabled_checks() & CHECK_LEAK; }

struct Leakable {
  ObjectKind kind;
  const char* noun;
  const char* maker;  // how the name of the call begins that makes objects of the program
};
// Functions, kernels and modules of a library end with it, and the levels of an array with the
// array. The graph of a capture belongs to the capture until its end. A context ends by a release,
// which libraries leave to the end of the process.
constexpr Leakable LEAKABLE[] = {
    {ObjectKind::STREAM, "stream", ""},
    {ObjectKind::EVENT, "event", ""},
    {ObjectKind::LIBRARY, "library", ""},
    {ObjectKind::POOL, "memory pool", ""},
    {ObjectKind::LINK, "linker state", ""},
    {ObjectKind::MODULE, "module", "cuModule"},
    {ObjectKind::ARRAY, "array", "cuArray"},
    {ObjectKind::MIPMAPPED_ARRAY, "mipmapped array", ""},
    {ObjectKind::TEXTURE, "texture object", ""},
    {ObjectKind::SURFACE, "surface object", ""},
    {ObjectKind::GRAPH, "graph", "cuGraphCreate"},
    {ObjectKind::GRAPH, "graph", "cuGraphClone"},
    {ObjectKind::GRAPH, "graph", "cuStreamEndCapture"},
    {ObjectKind::GRAPH_EXECUTABLE, "executable graph", ""},
};

// Returns whether the graph is that of a node, which ends with the node.
bool has_owner(uint64_t graph) {
  const GraphLock lock;
  const auto object = Registry::instance().find(ObjectKind::GRAPH, graph);
  return object && static_cast<const Graph&>(*object).owner();
}

// Returns null for an object that ends without a call of the program.
const char* noun_of(const Registry::Made& object) {
  if (object.kind == ObjectKind::GRAPH && has_owner(object.handle)) return nullptr;
  const std::string_view maker = object.origin.call ? object.origin.call : "";
  for (const Leakable& row : LEAKABLE)
    if (row.kind == object.kind && maker.starts_with(row.maker)) return row.noun;
  return nullptr;
}

Report leak_of(const Origin& origin) {
  Report report;
  report.kind = ReportKind::LEAK;
  report.kernel = origin.call ? origin.call : "memory";
  return report;
}

void report_memory(const Allocation& a) {
  Report report = leak_of(a.origin);
  report.message = counted(a.size, "byte") + " at " + hex_text(a.base) + " were not freed";
  report.allocation = a.base;
  report.allocation_size = a.size;
  report.allocated_by = a.origin.text();
  Reports::instance().add(std::move(report));
}

void report_object(const Registry::Made& object) {
  const char* noun = noun_of(object);
  if (!noun) return;
  Report report = leak_of(object.origin);
  report.message = std::string(noun) + " " + hex_text(object.handle) + " was not destroyed";
  report.allocated_by = object.origin.text();
  Reports::instance().add(std::move(report));
}

template <class T>
bool take(const Context& context, Object& object) {
  const GraphLock lock;
  auto& graph = static_cast<T&>(object);
  if (graph.context != context.id()) return false;
  graph.context = 0;
  return true;
}

bool take(const Context& context, const Registry::Made& made) {
  const bool is_graph = made.kind == ObjectKind::GRAPH;
  if (!is_graph && made.kind != ObjectKind::GRAPH_EXECUTABLE) return false;
  if (!noun_of(made)) return false;
  const auto object = Registry::instance().find(made.kind, made.handle);
  if (!object) return false;
  return is_graph ? take<Graph>(context, *object) : take<GraphExecutable>(context, *object);
}

}  // namespace

LeakMark LeakMark::now() { return {Allocations::instance().made(), Registry::instance().made()}; }

void set_leak_mark(LeakMark mark) {
  g_allocations.store(mark.allocations, std::memory_order_relaxed);
  g_objects.store(mark.objects, std::memory_order_relaxed);
}

void report_live_objects() {
  if (!is_enabled()) return;
  for (const auto& a : Allocations::instance().made_after(g_allocations)) report_memory(*a);
  for (const auto& object : Registry::instance().made_after(g_objects)) report_object(object);
}

void report_leaks_of(const Context& context,
                     const std::unordered_map<uint64_t, ObjectKind>& handles) {
  if (!is_enabled()) return;
  for (const auto& a : Allocations::instance().made_after(g_allocations))
    if (a->context == context.id()) report_memory(*a);
  for (const auto& object : Registry::instance().made_after(g_objects))
    if (handles.count(object.handle)) report_object(object);
}

void take_graphs_of(const Context& context, std::unordered_map<uint64_t, ObjectKind>& handles) {
  for (const auto& made : Registry::instance().made_after(0))
    if (take(context, made)) handles.emplace(made.handle, made.kind);
}

}  // namespace cucore::cpu
