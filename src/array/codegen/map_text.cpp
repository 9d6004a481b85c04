// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/map_text.hpp"

#include "array/codegen/expression.hpp"
#include "array/codegen/map.hpp"
#include "array/codegen/statements.hpp"

namespace cucore::array {
namespace {

bool is_indexed(const Store& store) { return !store.arguments.empty(); }

}  // namespace

bool MapText::is_ordered() const { return map_is_ordered(kernel_); }

bool MapText::is_loaded(size_t node) const { return kernel_.nodes[node].kind == NodeKind::LOAD; }

std::string MapText::loaded_element(size_t node) const {
  return concat("l", node, "[u]", form_.nodes[node].along == Along::STILL ? "" : ".v[k]");
}

std::string MapText::body(const std::string& name) {
  if (is_ordered()) text_ = form_.wide ? "typedef u64 W;\n" : "typedef u32 W;\n";
  text_ += concat("extern \"C\" __global__ void __launch_bounds__(", MAP_THREADS, ") ", name,
                  "(const __grid_constant__ Parameters p) {\n");
  begin();
  for (size_t node = 0; node < kernel_.nodes.size(); ++node) declare_load(node);
  for (size_t store = 0; store < kernel_.stores.size(); ++store) declare_store(store);
  per_unit([&] {
    for (size_t node = 0; node < kernel_.nodes.size(); ++node) load(node);
  });
  between();
  per_unit([&] { compute(); });
  per_unit([&] {
    for (size_t store = 0; store < kernel_.stores.size(); ++store) write(store);
  });
  return text_ + "}\n";
}

void MapText::begin() {
  const int unroll = form_.unroll;
  line("const I first = I(blockIdx.x) * ", MAP_THREADS * unroll, " + I(threadIdx.x);");
  if (is_linear())
    line("const bool full = (I(blockIdx.x) + 1) * ", MAP_THREADS * unroll * vector(),
         " <= p.last;");
  else
    line("const bool full = p.whole && (I(blockIdx.x) + 1) * ", MAP_THREADS * unroll,
         " <= p.units;");
}

// The same digits in each part: the compiler computes them once.
void MapText::begin_unit() {
  line("I unit = first + u * ", MAP_THREADS, ";");
  if (is_linear()) {
    line("const I c = unit * ", vector(), ", left = p.last - c;");
    if (is_ordered()) line("const I order = c;");
  } else {
    line("const bool inside = unit < p.units; if (!inside) unit = 0;");
    line("I row = div(unit, p.each); const I c = (unit - row * size(p.each)) * ", vector(),
         ", left = inside ? p.last - c : 0;");
    if (is_ordered()) line("const I order = row * p.last + c;");
    for (size_t axis = kernel_.outer.size() - 1; axis-- > 1;)
      line("const I q", axis, " = div(row, p.n", axis, "), ", digit_name(axis), " = row - q", axis,
           " * size(p.n", axis, "); row = q", axis, ";");
    line("const I ", digit_name(0), " = row;");
  }
}

std::string MapText::start(std::string_view name, const AccessForm& form) const {
  return position(name, form, kernel_.outer.size(), digit_name) + along(name, form, "c");
}

// The position of element k, from that of the vector.
std::string MapText::element(std::string_view name, const AccessForm& form) const {
  const std::string text = concat("b", along(name, form, "k"));
  return form.inner ? divided(name, form, text) : text;
}

void MapText::declare_load(size_t node) {
  if (!is_loaded(node)) return;
  const std::string_view type = storage_type(kernel_.nodes[node].dtype);
  const AccessForm& form = form_.nodes[node];
  line("const ", type, "* __restrict__ const in", node, " = (const ", type, "*)p.",
       access_name(node), ";");
  if (form.along == Along::STILL)
    line(type, " l", node, "[", int{form_.unroll}, "];");
  else
    line("Vector<", type, ", ", vector(), "> l", node, "[", int{form_.unroll}, "];");
}

void MapText::declare_store(size_t store) {
  const std::string_view type = storage_type(kernel_.nodes[kernel_.stores[store].node].dtype);
  line("Vector<", type, ", ", vector(), "> r", store, "[", int{form_.unroll}, "];");
  if (is_indexed(kernel_.stores[store]))
    line("i64 y", store, "[", int{form_.unroll}, "][", vector(), "];");
}

void MapText::load(size_t node) {
  if (!is_loaded(node)) return;
  const std::string name = access_name(node);
  const std::string_view type = storage_type(kernel_.nodes[node].dtype);
  const AccessForm& form = form_.nodes[node];
  line("{ const I b = ", start(name, form), ";");
  if (form.along == Along::STILL) {
    const std::string at = form.inner ? divided(name, form, "b") : "b";
    line("l", node, "[u] = full || left > 0 ? in", node, "[", at, "] : ", type, "(0);");
  } else {
    if (form.along == Along::VECTOR)
      line("if (full) l", node, "[u] = *(const Vector<", type, ", ", vector(), ">*)(in", node,
           " + b); else");
    per_element([&] {
      line("l", node, "[u].v[k] = in ? in", node, "[", element(name, form), "] : ", type, "(0);");
    });
  }
  line("}");
}

void MapText::compute() {
  per_element([&] {
    for (size_t node = 0; node < kernel_.nodes.size(); ++node) node_line(node);
    for (size_t store = 0; store < kernel_.stores.size(); ++store) {
      const uint16_t from = kernel_.stores[store].node;
      line("r", store, "[u].v[k] = ", stored(kernel_.nodes[from].dtype, variable(from)), ";");
      if (is_indexed(kernel_.stores[store])) place(store);
    }
  });
}

void MapText::node_line(size_t number) {
  const Node& node = kernel_.nodes[number];
  const std::string declared =
      concat("const ", compute_type(node.dtype), " ", variable(number), " = ");
  const AccessForm& form = form_.nodes[number];
  switch (node.kind) {
    case NodeKind::LOAD:
      line(declared, loaded(node.dtype, loaded_element(number)), ";");
      break;
    case NodeKind::CONSTANT:
      line(declared, "p.c", node.slot, ";");
      break;
    case NodeKind::POSITION: {
      const std::string name = access_name(number);
      line("I b", number, " = ", start(name, form), ";");
      const std::string at = form.inner ? concat("[&] { const I b = b", number, "; return ",
                                                 element(name, form), "; }() + p.", name, "_i")
                                        : concat("[&] { const I b = b", number, "; return ",
                                                 element(name, form), "; }() + p.", name, "_o");
      line(declared, "i64(", at, ");");
      break;
    }
    case NodeKind::SEARCH:
    case NodeKind::GATHER: {
      const std::string name = access_name(number);
      line("const I b", number, " = ", start(name, form), ";");
      text_ += gathered(
          kernel_, number,
          concat("[&] { const I b = b", number, "; return ", element(name, form), "; }()"), "in");
      break;
    }
    default:
      text_ += concat("  ", statement(kernel_, number));
      break;
  }
}

void MapText::place(size_t store) {
  const std::string name = store_name(store);
  const AccessForm& form = form_.stores[store];
  line("{ const I b = ", start(name, form), ";");
  if (kernel_.stores[store].skips) {
    line("const bool skipped = i64(", variable(kernel_.stores[store].arguments[0]), ") == p.t",
         store, "_0;");
    text_ += indexed_position(kernel_, store, element(name, form), "in && !skipped");
    line("y", store, "[u][k] = skipped ? -1 : x", store, "; }");
    return;
  }
  text_ += indexed_position(kernel_, store, element(name, form), "in");
  line("y", store, "[u][k] = x", store, "; }");
}

// Phase 0 clears the marks of all elements that are written, phase 1 finds the last index of each
// one, and phase 2 writes.
void MapText::write_indexed(size_t store) {
  const std::string at = concat("y", store, "[u][k]"), value = concat("r", store, "[u].v[k]");
  const std::string_view type = storage_type(kernel_.nodes[kernel_.stores[store].node].dtype);
  line("{ ", type, "* const o = (", type, "*)p.", store_name(store), ";");
  per_element([&] {
    if (!kernel_.stores[store].ordered)
      return line("if (in", kernel_.stores[store].skips ? concat(" && ", at, " >= 0") : "", ") o[",
                  at, "] = ", value, ";");
    line("if (!in) continue;");
    line("W* const last = (W*)p.winners + ", at, "; const W number = W(order + k + 1);");
    line("if (p.phase == 0) *last = 0; else if (p.phase == 1) atomicMax(last, number);");
    line("else if (*last == number) o[", at, "] = ", value, ";");
  });
  line("}");
}

void MapText::write(size_t store) {
  if (is_indexed(kernel_.stores[store])) return write_indexed(store);
  const std::string name = store_name(store);
  const std::string_view type = storage_type(kernel_.nodes[kernel_.stores[store].node].dtype);
  const AccessForm& form = form_.stores[store];
  line("{ ", type, "* const o = (", type, "*)p.", name, "; const I b = ", start(name, form), ";");
  if (form.along == Along::VECTOR)
    line("if (full) *(Vector<", type, ", ", vector(), ">*)(o + b) = r", store, "[u]; else");
  per_element([&] { line("if (in) o[", element(name, form), "] = r", store, "[u].v[k];"); });
  line("}");
}

}  // namespace cucore::array
