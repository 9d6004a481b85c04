// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/map.hpp"

#include "array/codegen/expression.hpp"
#include "array/codegen/statements.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

constexpr int64_t THREADS = 256;

struct Units {
  int64_t last;   // elements of the last axis
  int64_t each;   // vectors that hold them
  int64_t count;  // vectors of the kernel
};

Units units_of(const Kernel& kernel, const Form& form) {
  Units units{.last = kernel.outer.empty() ? 1 : kernel.outer[kernel.outer.size() - 1],
              .each = 0,
              .count = 0};
  units.each = (units.last + form.vector - 1) / form.vector;
  units.count = units.each;
  for (size_t axis = 0; axis + 1 < kernel.outer.size(); ++axis) units.count *= kernel.outer[axis];
  return units;
}

bool is_indexed(const Store& store) { return !store.arguments.empty(); }

bool is_read_first(const Node& node) { return node.kind == NodeKind::LOAD; }

class MapText {
 public:
  MapText(const Kernel& kernel, const Form& form) : kernel_(kernel), form_(form) {}

  std::string body(const std::string& name) {
    if (is_ordered()) text_ = form_.wide ? "typedef u64 W;\n" : "typedef u32 W;\n";
    text_ += concat("extern \"C\" __global__ void __launch_bounds__(", THREADS, ") ", name,
                    "(const __grid_constant__ Parameters p) {\n");
    begin();
    for (size_t node = 0; node < kernel_.nodes.size(); ++node) declare_load(node);
    for (size_t store = 0; store < kernel_.stores.size(); ++store) declare_store(store);
    per_unit([&] {
      for (size_t node = 0; node < kernel_.nodes.size(); ++node) load(node);
    });
    per_unit([&] { compute(); });
    per_unit([&] {
      for (size_t store = 0; store < kernel_.stores.size(); ++store) write(store);
    });
    return text_ + "}\n";
  }

 private:
  template <class... Parts>
  void line(const Parts&... parts) {
    text_ += concat("  ", parts..., "\n");
  }

  int vector() const { return form_.vector; }
  bool is_ordered() const { return map_is_ordered(kernel_); }
  bool is_linear() const { return kernel_.outer.size() <= 1; }

  void begin() {
    const int unroll = form_.unroll;
    line("const I first = I(blockIdx.x) * ", THREADS * unroll, " + I(threadIdx.x);");
    if (is_linear())
      line("const bool full = (I(blockIdx.x) + 1) * ", THREADS * unroll * vector(), " <= p.last;");
    else
      line("const bool full = p.whole && (I(blockIdx.x) + 1) * ", THREADS * unroll, " <= p.units;");
  }

  // The same digits in each part: the compiler computes them once.
  template <class Body>
  void per_unit(const Body& body) {
    line("#pragma unroll");
    line("for (int u = 0; u < ", int{form_.unroll}, "; ++u) {");
    line("I unit = first + u * ", THREADS, ";");
    if (is_linear()) {
      line("const I c = unit * ", vector(), ", left = p.last - c;");
      if (is_ordered()) line("const I order = c;");
    } else {
      line("const bool inside = unit < p.units; if (!inside) unit = 0;");
      line("I row = div(unit, p.each); const I c = (unit - row * size(p.each)) * ", vector(),
           ", left = inside ? p.last - c : 0;");
      if (is_ordered()) line("const I order = row * p.last + c;");
      for (size_t axis = kernel_.outer.size() - 1; axis-- > 1;)
        line("const I q", axis, " = div(row, p.n", axis, "), ", digit_name(axis), " = row - q",
             axis, " * size(p.n", axis, "); row = q", axis, ";");
      line("const I ", digit_name(0), " = row;");
    }
    body();
    line("}");
  }

  template <class Body>
  void per_element(const Body& body) {
    line("#pragma unroll");
    line("for (int k = 0; k < ", vector(), "; ++k) { const bool in = full || k < left;");
    body();
    line("}");
  }

  std::string start(std::string_view name, const AccessForm& form) const {
    return position(name, form, kernel_.outer.size(), digit_name) + along(name, form, "c");
  }
  // The position of element k, from that of the vector.
  std::string element(std::string_view name, const AccessForm& form) const {
    const std::string text = concat("b", along(name, form, "k"));
    return form.inner ? divided(name, form, text) : text;
  }

  void declare_load(size_t node) {
    if (!is_read_first(kernel_.nodes[node])) return;
    const std::string_view type = storage_type(kernel_.nodes[node].dtype);
    const AccessForm& form = form_.nodes[node];
    line("const ", type, "* __restrict__ const i", node, " = (const ", type, "*)p.",
         access_name(node), ";");
    if (form.along == Along::STILL)
      line(type, " l", node, "[", int{form_.unroll}, "];");
    else
      line("Vector<", type, ", ", vector(), "> l", node, "[", int{form_.unroll}, "];");
  }

  void declare_store(size_t store) {
    const std::string_view type = storage_type(kernel_.nodes[kernel_.stores[store].node].dtype);
    line("Vector<", type, ", ", vector(), "> r", store, "[", int{form_.unroll}, "];");
    if (is_indexed(kernel_.stores[store]))
      line("i64 y", store, "[", int{form_.unroll}, "][", vector(), "];");
  }

  void load(size_t node) {
    if (!is_read_first(kernel_.nodes[node])) return;
    const std::string name = access_name(node);
    const std::string_view type = storage_type(kernel_.nodes[node].dtype);
    const AccessForm& form = form_.nodes[node];
    line("{ const I b = ", start(name, form), ";");
    if (form.along == Along::STILL) {
      const std::string at = form.inner ? divided(name, form, "b") : "b";
      line("l", node, "[u] = full || left > 0 ? i", node, "[", at, "] : ", type, "(0);");
    } else {
      if (form.along == Along::VECTOR)
        line("if (full) l", node, "[u] = *(const Vector<", type, ", ", vector(), ">*)(i", node,
             " + b); else");
      per_element([&] {
        line("l", node, "[u].v[k] = in ? i", node, "[", element(name, form), "] : ", type, "(0);");
      });
    }
    line("}");
  }

  void compute() {
    per_element([&] {
      for (size_t node = 0; node < kernel_.nodes.size(); ++node) node_line(node);
      for (size_t store = 0; store < kernel_.stores.size(); ++store) {
        const uint16_t from = kernel_.stores[store].node;
        line("r", store, "[u].v[k] = ", stored(kernel_.nodes[from].dtype, variable(from)), ";");
        if (is_indexed(kernel_.stores[store])) place(store);
      }
    });
  }

  void node_line(size_t number) {
    const Node& node = kernel_.nodes[number];
    const std::string declared =
        concat("const ", compute_type(node.dtype), " ", variable(number), " = ");
    const AccessForm& form = form_.nodes[number];
    switch (node.kind) {
      case NodeKind::LOAD:
        line(declared,
             loaded(node.dtype,
                    concat("l", number, "[u]", form.along == Along::STILL ? "" : ".v[k]")),
             ";");
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

  void place(size_t store) {
    const std::string name = store_name(store);
    const AccessForm& form = form_.stores[store];
    line("{ const I b = ", start(name, form), ";");
    text_ += indexed_position(kernel_, store, element(name, form), "in");
    line("y", store, "[u][k] = x", store, "; }");
  }

  // Phase 0 clears the marks of all elements that are written, phase 1 finds the last index of each
  // one, and phase 2 writes.
  void write_indexed(size_t store) {
    const std::string at = concat("y", store, "[u][k]"), value = concat("r", store, "[u].v[k]");
    const std::string_view type = storage_type(kernel_.nodes[kernel_.stores[store].node].dtype);
    line("{ ", type, "* const o = (", type, "*)p.", store_name(store), ";");
    per_element([&] {
      if (!kernel_.stores[store].ordered) return line("if (in) o[", at, "] = ", value, ";");
      line("if (!in) continue;");
      line("W* const last = (W*)p.winners + ", at, "; const W number = W(order + k + 1);");
      line("if (p.phase == 0) *last = 0; else if (p.phase == 1) atomicMax(last, number);");
      line("else if (*last == number) o[", at, "] = ", value, ";");
    });
    line("}");
  }

  void write(size_t store) {
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

  const Kernel& kernel_;
  const Form& form_;
  std::string text_;
};

}  // namespace

void add_map_fields(Fields& fields, const Kernel& kernel, const Form& form,
                    const Addresses& addresses) {
  const Units units = units_of(kernel, form);
  const auto name = [&](const std::string& text) {
    return fields.declares() ? text : std::string();
  };
  const auto number = [&](std::string_view field, int64_t value) {
    if (form.wide)
      fields.add("i64", field, value);
    else
      fields.add("i32", field, static_cast<int32_t>(value));
  };
  number("last", units.last);
  if (kernel.outer.size() > 1) {
    number("units", units.count);
    number("whole", units.last % form.vector == 0);
    add_divisor(fields, form.wide, "each", units.each);
    for (size_t axis = 1; axis + 1 < kernel.outer.size(); ++axis)
      add_divisor(fields, form.wide, name(concat("n", axis)), kernel.outer[axis]);
  }
  if (map_is_ordered(kernel)) {  // the marks begin at the element that index 0 finds
    const int64_t offset =
        int64_t(address_of(0, kernel.stores[0].access, kernel.stores[0].part, Dtype::UINT8)) *
        (form.wide ? 8 : 4);
    fields.add("u64", "winners", addresses.partials + uint64_t(offset));
  }
  add_nodes(fields, kernel, form, addresses);
}

bool map_is_ordered(const Kernel& kernel) noexcept {
  return !kernel.stores.empty() && kernel.stores[0].ordered;
}

Scratch map_scratch(const Kernel& kernel) {
  if (!map_is_ordered(kernel)) return {};
  const int64_t elements =
      kernel.outputs[kernel.stores[0].slot]->count * (kernel.stores[0].part == Part::WHOLE ? 1 : 2);
  return {.partial_bytes = elements * (needs_wide(kernel) ? 8 : 4)};
}

std::string map_body(const Kernel& kernel, const Form& form, const std::string& name) {
  return MapText(kernel, form).body(name);
}

LaunchPlan map_launch(const Kernel& kernel, const Form& form) {
  const int64_t per_block = THREADS * form.unroll;
  const Units units = units_of(kernel, form);
  return {.grid = static_cast<uint32_t>((units.count + per_block - 1) / per_block),
          .block = uint32_t{THREADS},
          .parameters = {}};
}

}  // namespace cucore::array
