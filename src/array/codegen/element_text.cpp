// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/element_text.hpp"

#include "array/codegen/expression.hpp"
#include "array/codegen/reductions.hpp"

namespace cucore::array {

void add_space(Fields& fields, const Kernel& kernel, const Form& form) {
  const auto name = [&](std::string_view letter, size_t axis) {
    return fields.declares() ? concat(letter, axis) : std::string();
  };
  add_number(fields, form.wide, "rows", kernel.rows());
  add_number(fields, form.wide, "length", kernel.row_size());
  for (size_t axis = 1; axis < kernel.outer.size(); ++axis)
    add_divisor(fields, form.wide, name("n", axis), kernel.outer[axis]);
  for (size_t axis = 1; axis < kernel.inner.size(); ++axis)
    add_divisor(fields, form.wide, name("m", axis), kernel.inner[axis]);
}

void ElementText::head(const std::string& name, int64_t threads, int64_t blocks) {
  for (size_t node = 0; node < kernel_.nodes.size(); ++node)
    if (kernel_.nodes[node].kind == NodeKind::REDUCED) text_ += reduction_type(kernel_, node);
  text_ += concat("extern \"C\" __global__ void __launch_bounds__(", threads,
                  blocks > 0 ? concat(", ", blocks) : std::string(), ") ", name,
                  "(const __grid_constant__ Parameters p) {\n");
}

void ElementText::row_digits() {
  if (kernel_.outer.empty()) return;
  line("I rest = row;");
  for (size_t axis = kernel_.outer.size(); axis-- > 1;)
    line("const I q", axis, " = div(rest, p.n", axis, "), ", digit_name(axis), " = rest - q", axis,
         " * size(p.n", axis, "); rest = q", axis, ";");
  line("const I ", digit_name(0), " = rest;");
}

void ElementText::pointers() {
  for (size_t node = 0; node < kernel_.nodes.size(); ++node) {
    if (kernel_.nodes[node].kind != NodeKind::LOAD) continue;
    const std::string_view type = storage_type(kernel_.nodes[node].dtype);
    line("const ", type, "* __restrict__ const in", node, " = (const ", type, "*)p.",
         access_name(node), ";");
  }
}

std::string ElementText::outer_part(std::string_view name, const AccessForm& form) const {
  return position(name, form, kernel_.outer.size(), digit_name);
}

bool ElementText::has_columns() const { return form_.along < kernel_.outer.size(); }

std::string ElementText::row_position(std::string_view name, const AccessForm& form) const {
  std::string text = outer_part(name, form);
  if (has_columns()) text += along(name, form, digit_name(form_.along));
  return form.inner ? divided(name, form, text) : text;
}

// Inner axes that are one in memory have the index c. Otherwise each element has its own indices
// e0, e1, ...
std::string ElementText::element_position(std::string_view name, const AccessForm& form) const {
  std::string text = outer_part(name, form);
  const size_t first = kernel_.outer.size(), last = kernel_.inner.size() - 1;
  for (size_t axis = 0; axis <= last; ++axis)
    if (form.moves >> (first + axis) & 1)
      text += concat(" + ", has_rows_apart() ? concat("e", axis) : "c", " * p.", name, "_",
                     first + axis);
  if (has_columns())
    text += along(name, form, digit_name(form_.along));
  else
    text += along(name, form, has_rows_apart() ? concat("e", last) : "(c + v)");
  return form.inner ? divided(name, form, text) : text;
}

// The position of the first element of the vector.
std::string ElementText::vector_position(std::string_view name, const AccessForm& form) const {
  std::string text = outer_part(name, form);
  const size_t first = kernel_.outer.size();
  if (has_columns())
    for (size_t axis = 0; axis < kernel_.inner.size(); ++axis)
      if (form.moves >> (first + axis) & 1)
        text += concat(" + ", has_rows_apart() ? concat("e", axis) : "c", " * p.", name, "_",
                       first + axis);
  return text;
}

void ElementText::row_nodes(uint8_t phase) {
  for (size_t number = 0; number < kernel_.nodes.size(); ++number) {
    const Node& node = kernel_.nodes[number];
    if (node.per_element || node.phase != phase || node.kind == NodeKind::REDUCED) continue;
    const AccessForm& form = form_.nodes[number];
    const std::string declared =
        concat("const ", compute_type(node.dtype), " ", variable(number), " = ");
    const std::string name = access_name(number);
    switch (node.kind) {
      case NodeKind::LOAD:
        line(declared, loaded(node.dtype, concat("in", number, "[", row_position(name, form), "]")),
             ";");
        break;
      case NodeKind::CONSTANT:
        line(declared, "p.c", node.slot, ";");
        break;
      case NodeKind::POSITION:
        line(declared, "i64(", row_position(name, form), " + p.", name, form.inner ? "_i" : "_o",
             ");");
        break;
      case NodeKind::SEARCH:
      case NodeKind::GATHER:
        text_ += gathered(kernel_, number, row_position(name, form), "active");
        break;
      default:
        text_ += concat("  ", statement(kernel_, number));
        break;
    }
  }
}

// A vector that does not exist is loaded from the beginning: loads without branches run together.
std::string ElementText::vector_load(size_t number, std::string_view index,
                                     std::string_view exists) const {
  return concat("*(const Four<", storage_type(kernel_.nodes[number].dtype), ">*)(in", number, " + ",
                vector_position(access_name(number), form_.nodes[number]), " + (", exists, " ? ",
                index, " : 0))");
}

bool ElementText::is_vector_load(size_t number, uint8_t pass) const {
  const Node& node = kernel_.nodes[number];
  return node.kind == NodeKind::LOAD && node.per_element && passes_.of[number] == pass &&
         form_.nodes[number].along == Along::VECTOR;
}

void ElementText::load_vectors(uint8_t pass, std::string_view index, std::string_view exists) {
  each_vector_load(pass, [&](size_t number) {
    line("const Four<", storage_type(kernel_.nodes[number].dtype), "> l", number, " = ",
         vector_load(number, index, exists), ";");
  });
}

void ElementText::declare_vector_stores() {
  for (size_t number = 0; number < kernel_.stores.size(); ++number)
    if (is_vector_store(number))
      line("Four<", storage_type(kernel_.nodes[kernel_.stores[number].node].dtype), "> o", number,
           ";");
}

void ElementText::store_vectors(std::string_view index, std::string_view exists) {
  for (size_t number = 0; number < kernel_.stores.size(); ++number) {
    if (!is_vector_store(number)) continue;
    const std::string_view type = storage_type(kernel_.nodes[kernel_.stores[number].node].dtype);
    const std::string name = store_name(number);
    line("if (", exists, ") *(Four<", type, ">*)((", type, "*)p.", name, " + ",
         vector_position(name, form_.stores[number]), " + ", index, ") = o", number, ";");
  }
}

bool ElementText::is_vector_store(size_t number) const {
  return is_per_element(kernel_, kernel_.stores[number]) &&
         form_.stores[number].along == Along::VECTOR;
}

void ElementText::node_of_element(size_t number) {
  const Node& node = kernel_.nodes[number];
  const AccessForm& form = form_.nodes[number];
  const std::string declared =
      concat("const ", compute_type(node.dtype), " ", variable(number), " = ");
  const std::string name = access_name(number);
  switch (node.kind) {
    case NodeKind::LOAD: {
      const std::string_view type = storage_type(node.dtype);
      const std::string element =
          form.along == Along::VECTOR
              ? concat("l", number, ".v[v]")
              : concat("(in ? in", number, "[", element_position(name, form), "] : ", type, "(0))");
      line(declared, loaded(node.dtype, element), ";");
      break;
    }
    case NodeKind::POSITION:
      line(declared, "i64(", element_position(name, form), " + p.", name, form.inner ? "_i" : "_o",
           ");");
      break;
    case NodeKind::SEARCH:
    case NodeKind::GATHER:
      text_ += gathered(kernel_, number, element_position(name, form), "in");
      break;
    default:
      text_ += concat("  ", statement(kernel_, number));
      break;
  }
}

void ElementText::element_nodes(uint8_t pass, const std::string& keeps) {
  if (has_rows_apart()) {
    const size_t last = kernel_.inner.size() - 1;
    line("I f = c", has_columns() ? ";" : " + v;");
    for (size_t axis = last + 1; axis-- > 1;)
      line("const I h", axis, " = div(f, p.m", axis, "), e", axis, " = f - h", axis, " * size(p.m",
           axis, "); f = h", axis, ";");
    line("const I e0 = f;");
  }
  for (size_t number = 0; number < kernel_.nodes.size(); ++number) {
    const Node& node = kernel_.nodes[number];
    if (node.kind == NodeKind::SCANNED || node.kind == NodeKind::SORTED) continue;
    if (!node.per_element || passes_.of[number] > pass || passes_.kept[number] < pass) continue;
    if (passes_.of[number] < pass) {
      line("const ", compute_type(node.dtype), " ", variable(number), " = k", number, "[", keeps,
           "];");
      continue;
    }
    node_of_element(number);
    if (is_kept(number)) line("k", number, "[", keeps, "] = ", variable(number), ";");
  }
}

void ElementText::declare_kept(const std::string& size) {
  for (size_t number = 0; number < kernel_.nodes.size(); ++number)
    if (is_kept(number))
      line(compute_type(kernel_.nodes[number].dtype), " k", number, "[", size, "];");
}

void ElementText::store_row(const Store& store, size_t number) {
  const Dtype dtype = kernel_.nodes[store.node].dtype;
  const std::string_view type = storage_type(dtype);
  const std::string name = store_name(number);
  line("((", type, "*)p.", name, ")[", row_position(name, form_.stores[number]),
       "] = ", stored(dtype, variable(store.node)), ";");
}

void ElementText::store_elements(const std::string& in) {
  for (size_t number = 0; number < kernel_.stores.size(); ++number) {
    const Store& store = kernel_.stores[number];
    if (!is_per_element(kernel_, store)) continue;
    const Dtype dtype = kernel_.nodes[store.node].dtype;
    const std::string_view type = storage_type(dtype);
    const std::string name = store_name(number);
    if (is_vector_store(number)) {
      line("o", number, ".v[v] = ", stored(dtype, variable(store.node)), ";");
      continue;
    }
    line("if (", in, ") ((", type, "*)p.", name, ")[", element_position(name, form_.stores[number]),
         "] = ", stored(dtype, variable(store.node)), ";");
  }
}

}  // namespace cucore::array
