// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/tiled.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "array/codegen/map.hpp"
#include "array/codegen/map_text.hpp"
#include "array/codegen/statements.hpp"

namespace cucore::array {
namespace {

constexpr int64_t SHARED_BYTES = 48 << 10, BANK_BYTES = 4;
constexpr uint8_t LARGE_SIDE = 64, SMALL_SIDE = 32;
constexpr int64_t LEAST_SIZE = 32;  // of an axis; smaller tiles would be mostly empty

int64_t element_bytes(const Node& node) { return static_cast<int64_t>(size_of(node.dtype)); }

// Elements between the rows of a tile: an odd number of banks, so that columns meet no conflict.
int64_t pitch(const Node& node, int64_t side) {
  return side + std::max<int64_t>(BANK_BYTES / element_bytes(node), 1);
}
int64_t tile_bytes(const Node& node, int64_t side) {
  return side * pitch(node, side) * element_bytes(node);
}

// The axis on which neighbours of a transposed operand are neighbours in memory.
std::optional<size_t> fastest_axis(const Kernel& kernel, const Node& node) {
  const View& view = node.access.outer;
  if (node.kind != NodeKind::LOAD || node.access.inner || view.ndim() < 2) return {};
  const size_t last = view.ndim() - 1;
  if (std::abs(view.strides[last]) <= 1) return {};
  for (size_t axis = 0; axis < last; ++axis)
    if (std::abs(view.strides[axis]) == 1 && kernel.outer[axis] >= LEAST_SIZE) return axis;
  return {};
}

// The axis with the most bytes.
std::optional<size_t> tile_axis(const Kernel& kernel) {
  Dims bytes(kernel.outer.size());
  for (const Node& node : kernel.nodes)
    if (const auto axis = fastest_axis(kernel, node)) bytes[*axis] += element_bytes(node);
  const auto most = std::max_element(bytes.begin(), bytes.end());
  if (most == bytes.end() || *most == 0) return {};
  return static_cast<size_t>(most - bytes.begin());
}

int64_t tiles_of(int64_t size, const Form& form) { return (size + form.side - 1) / form.side; }

class TiledText final : public MapText {
 public:
  using MapText::MapText;

 private:
  size_t last_axis() const { return kernel_.outer.size() - 1; }
  std::string first_of_tile(size_t axis) const { return concat("t", axis); }
  int side() const { return form_.side; }
  bool is_turned(size_t node) const { return form_.nodes[node].along == Along::TURNED; }
  bool is_loaded(size_t node) const override {
    return MapText::is_loaded(node) && !is_turned(node);
  }

  std::string loaded_element(size_t node) const override {
    if (!is_turned(node)) return MapText::loaded_element(node);
    return concat("s", node, "[tile_row * ", pitch(kernel_.nodes[node], side()),
                  " + tile_column + k]");
  }

  void begin() override {
    line("I rest = I(blockIdx.x), tile = div(rest, p.across);");
    line("const I t", last_axis(), " = (rest - tile * size(p.across)) * ", side(),
         "; rest = tile;");
    line("tile = div(rest, p.down); const I t", form_.tile_axis,
         " = (rest - tile * size(p.down)) * ", side(), "; rest = tile;");
    for (size_t axis = last_axis(); axis-- > 0;)
      if (axis != form_.tile_axis)
        line("tile = div(rest, p.n", axis, "); const I ", digit_name(axis),
             " = rest - tile * size(p.n", axis, "); rest = tile;");
    line("const I rows = p.rows - t", form_.tile_axis, ", columns = p.last - t", last_axis(), ";");
    line("const bool full = rows >= ", side(), " && columns >= ", side(), ";");
    for (size_t node = 0; node < kernel_.nodes.size(); ++node)
      if (is_turned(node)) read_tile(node);
  }

  // Neighbouring threads read neighbours in memory.
  void read_tile(size_t node) {
    const std::string_view type = storage_type(kernel_.nodes[node].dtype);
    const std::string name = access_name(node);
    const int64_t step = MAP_THREADS / side();
    line("__shared__ ", type, " s", node, "[", side() * pitch(kernel_.nodes[node], side()), "];");
    line(type, " l", node, "[", side() / step, "];");
    line("{ const int r = threadIdx.x % ", side(), ", q = threadIdx.x / ", side(), ";");
    line("const I ", digit_name(form_.tile_axis), " = t", form_.tile_axis, " + r, c = t",
         last_axis(), " + q, b = ", start(name, form_.nodes[node]), ";");
    line("#pragma unroll");
    line("for (int u = 0; u < ", side() / step, "; ++u)");
    line("l", node, "[u] = full || (r < rows && q + u * ", step, " < columns) ? ((const ", type,
         "*)p.", name, ")[b + I(u * ", step, ") * p.", name, "_l] : ", type, "(0); }");
  }

  void between() override {
    for (size_t node = 0; node < kernel_.nodes.size(); ++node)
      if (is_turned(node)) write_tile(node);
    line("__syncthreads();");
  }
  void write_tile(size_t node) {
    const int64_t step = MAP_THREADS / side();
    line("#pragma unroll");
    line("for (int u = 0; u < ", side() / step, "; ++u) s", node, "[threadIdx.x % ", side(), " * ",
         pitch(kernel_.nodes[node], side()), " + threadIdx.x / ", side(), " + u * ", step, "] = l",
         node, "[u];");
  }

  void begin_unit() override {
    const int across = side() / vector();  // threads of a row
    line("const int tile_row = threadIdx.x / ", across, " + u * ", MAP_THREADS / across,
         ", tile_column = threadIdx.x % ", across, " * ", vector(), ";");
    line("const I c = t", last_axis(), " + tile_column;");
    line("const bool inside = full || tile_row < rows; const I ", digit_name(form_.tile_axis),
         " = t", form_.tile_axis, " + (inside ? tile_row : 0), left = inside ? p.last - c : 0;");
  }
};

}  // namespace

void choose_tile(const Kernel& kernel, Form& form) {
  if (kernel.family != KernelFamily::MAP || map_is_ordered(kernel) || kernel.outer.size() < 2)
    return;
  const auto axis = tile_axis(kernel);
  if (!axis || kernel.outer[kernel.outer.size() - 1] < LEAST_SIZE) return;
  const auto is_candidate = [&](const Node& node) { return fastest_axis(kernel, node) == axis; };
  int64_t bytes = 0;
  for (const Node& node : kernel.nodes)
    if (is_candidate(node)) bytes += tile_bytes(node, LARGE_SIDE);
  form.side = bytes <= SHARED_BYTES ? LARGE_SIDE : SMALL_SIDE;
  form.tile_axis = static_cast<uint8_t>(*axis);
  const int64_t elements = int64_t{form.side} * form.side;
  while (elements < MAP_THREADS * form.vector) form.vector /= 2;
  form.unroll = static_cast<uint8_t>(elements / (MAP_THREADS * form.vector));
  bytes = 0;
  for (size_t at = 0; at < kernel.nodes.size(); ++at) {
    if (!is_candidate(kernel.nodes[at])) continue;
    bytes += tile_bytes(kernel.nodes[at], form.side);
    if (bytes > SHARED_BYTES) break;  // the others stay strided
    form.nodes[at].along = Along::TURNED;
  }
}

void add_tile_fields(Fields& fields, const Kernel& kernel, const Form& form) {
  const size_t last = kernel.outer.size() - 1;
  add_number(fields, form.wide, "last", kernel.outer[last]);
  add_number(fields, form.wide, "rows", kernel.outer[form.tile_axis]);
  add_divisor(fields, form.wide, "across", tiles_of(kernel.outer[last], form));
  add_divisor(fields, form.wide, "down", tiles_of(kernel.outer[form.tile_axis], form));
  for (size_t axis = 0; axis < last; ++axis)
    if (axis != form.tile_axis)
      add_divisor(fields, form.wide, fields.declares() ? concat("n", axis) : std::string(),
                  kernel.outer[axis]);
}

std::string tiled_body(const Kernel& kernel, const Form& form, const std::string& name) {
  return TiledText(kernel, form).body(name);
}

int64_t tile_count(const Kernel& kernel, const Form& form) {
  int64_t count = 1;
  for (size_t axis = 0; axis < kernel.outer.size(); ++axis) {
    const bool tiled = axis == form.tile_axis || axis + 1 == kernel.outer.size();
    count *= tiled ? tiles_of(kernel.outer[axis], form) : kernel.outer[axis];
  }
  return count;
}

}  // namespace cucore::array
