// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/sort.hpp"

#include <algorithm>

#include "array/codegen/element_text.hpp"
#include "array/codegen/expression.hpp"
#include "array/codegen/radix.hpp"

namespace cucore::array {
namespace {

constexpr int64_t MOST_THREADS = 256, SORT_LANES = 32;

// Elements of a thread: a tile with its places fits into 48 KiB.
int64_t per_thread(const Kernel& kernel) { return sort_key_size(kernel) > 8 ? 4 : 8; }
int64_t tile_of(const Kernel& kernel) { return sort_threads(kernel) * per_thread(kernel); }
int64_t tiles_of(const Kernel& kernel) {
  return (kernel.row_size() + tile_of(kernel) - 1) / tile_of(kernel);
}

int32_t sort_merges(const Kernel& kernel) {
  int32_t merges = 0;
  while ((int64_t{1} << merges) < tiles_of(kernel)) ++merges;
  return merges;
}

// Two places for the keys of all rows, then two for the places.
struct Memory {
  int64_t keys = 0, places = 0;  // bytes of one place
  int64_t all() const { return 2 * (keys + places); }
};
Memory memory_of(const Kernel& kernel) {
  if (sort_merges(kernel) == 0) return {};
  const int64_t count = kernel.rows() * kernel.row_size();
  return {.keys = sort_aligned(count * sort_key_size(kernel)),
          .places = sorted_node(kernel).sort.positions
                        ? sort_aligned(count * (needs_wide(kernel) ? 8 : 4))
                        : 0};
}

class SortText : public ElementText {
 public:
  using ElementText::ElementText;

  std::string body(const std::string& name) {
    const int64_t tile = tile_of(kernel_), threads = sort_threads(kernel_);
    const bool places = positions();
    text_ += concat("typedef ", compute_type(sort_key_dtype(kernel_)), " K;\ntypedef ",
                    order_type(), " R;\n");
    head(name, threads);
    line(
        "const I row = div(I(blockIdx.x), p.tiles), tile = (I(blockIdx.x) - row * size(p.tiles)) "
        "* ",
        tile, ";");
    line("const int total = p.length - tile < ", tile, " ? int(p.length - tile) : ", tile, ";");
    line("[[maybe_unused]] const bool active = true;");
    line("__shared__ Words<sizeof(K) * ", tile, "> h; K* const keys = (K*)h.w;");
    if (places)
      line("__shared__ I places[", tile, "];");
    else
      line("I* const places = nullptr;");
    line("if (p.phase == 0) {");
    elements();
    line("__syncthreads();");
    line("sort_tile<R, ", per_thread(kernel_), ", ", places ? "true" : "false",
         ">(keys, places, total);");
    line("} else {");
    line("const I at = row * p.length;");
    line("merge_tile<R, ", per_thread(kernel_), ", ", places ? "true" : "false",
         ">((const K*)(p.phase % 2 ? p.keys0 : p.keys1) + at, (const I*)(p.phase % 2 ? p.places0 : "
         "p.places1) + at, keys, places, p.length, tile, I(",
         tile, ") << (p.phase - 1), total);");
    line("}");
    stores();
    return text_ + "}\n";
  }

 private:
  bool positions() const { return sorted_node(kernel_).sort.positions; }

  std::string order_type() const {
    const bool pair = kind_of(sort_key_dtype(kernel_)) == Kind::COMPLEX;
    const std::string ascending =
        concat(pair ? "AscendingPair<" : "Ascending<", compute_type(sort_key_dtype(kernel_)), ">");
    return sorted_node(kernel_).sort.descending ? concat("Descending<", ascending, ">") : ascending;
  }

  void elements() {
    row_digits();
    pointers();
    row_nodes(0);
    line("for (int f0 = threadIdx.x * 4; f0 < ", tile_of(kernel_),
         "; f0 += ", sort_threads(kernel_) * 4, ") {");
    line("const I c = tile + f0, left = p.length - c;");
    load_vectors(0, "c", "left > 0");
    line("#pragma unroll");
    line("for (int v = 0; v < 4; ++v) { const bool in = v < left;");
    element_nodes(0, "");
    line("if (in) keys[f0 + v] = ", variable(sort_key_node(kernel_)), ";");
    if (positions()) line("if (in) places[f0 + v] = c + v;");
    line("} }");
  }

  void stores() {
    const Dtype dtype = sorted_node(kernel_).dtype;
    const std::string key = "keys[f]",
                      value = positions() ? "i64(places[f])" : stored(dtype, "keys[f]");
    line("for (int f = threadIdx.x; f < total; f += ", sort_threads(kernel_), ") {");
    line("const I at = row * p.length + tile + f;");
    line("if (p.phase == p.merges) { ((", storage_type(dtype), "*)p.", store_name(0),
         ")[at] = ", value, "; continue; }");
    line("((K*)(p.phase % 2 ? p.keys1 : p.keys0))[at] = ", key, ";");
    if (positions()) line("((I*)(p.phase % 2 ? p.places1 : p.places0))[at] = places[f];");
    line("}");
  }
};

}  // namespace

const Node& sorted_node(const Kernel& kernel) { return kernel.nodes[kernel.stores[0].node]; }
uint16_t sort_key_node(const Kernel& kernel) { return sorted_node(kernel).arguments[0]; }
Dtype sort_key_dtype(const Kernel& kernel) { return kernel.nodes[sort_key_node(kernel)].dtype; }

int64_t sort_key_size(const Kernel& kernel) {
  const Dtype dtype = sort_key_dtype(kernel);
  const bool half = dtype == Dtype::FLOAT16 || dtype == Dtype::BFLOAT16;
  return static_cast<int64_t>(size_of(half ? Dtype::FLOAT32 : dtype));
}

int64_t sort_aligned(int64_t bytes) noexcept {
  constexpr int64_t ALIGNMENT = 256;
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

int64_t sort_threads(const Kernel& kernel) noexcept {
  const int64_t each = per_thread(kernel);
  int64_t threads = SORT_LANES;
  while (threads < MOST_THREADS && threads * each < kernel.row_size()) threads *= 2;
  return threads;
}

int32_t sort_launches(const Kernel& kernel) noexcept {
  return sorts_by_digits(kernel) ? radix_phases(kernel) : sort_merges(kernel) + 1;
}
Scratch sort_scratch(const Kernel& kernel) {
  if (sorts_by_digits(kernel)) return radix_scratch(kernel);
  return {.partial_bytes = memory_of(kernel).all()};
}

void add_sort_fields(Fields& fields, const Kernel& kernel, const Form& form,
                     const Addresses& addresses) {
  if (sorts_by_digits(kernel)) return add_radix_fields(fields, kernel, form, addresses);
  const Memory memory = memory_of(kernel);
  const uint64_t keys = addresses.partials, places = keys + uint64_t(2 * memory.keys);
  add_space(fields, kernel, form);
  add_divisor(fields, form.wide, "tiles", tiles_of(kernel));
  fields.add("u64", "keys0", keys);
  fields.add("u64", "keys1", keys + uint64_t(memory.keys));
  fields.add("u64", "places0", places);
  fields.add("u64", "places1", places + uint64_t(memory.places));
  add_nodes(fields, kernel, form, addresses);
  fields.add("i32", "merges", sort_merges(kernel));
}

std::string sort_body(const Kernel& kernel, const Form& form, const std::string& name) {
  if (sorts_by_digits(kernel)) return radix_body(kernel, form, name);
  return SortText(kernel, form).body(name);
}

LaunchPlan sort_launch(const Kernel& kernel, const Form&) {
  if (sorts_by_digits(kernel)) return radix_launch(kernel);
  return {.grid = kernel.rows() * tiles_of(kernel),
          .block = static_cast<uint32_t>(sort_threads(kernel)),
          .parameters = {}};
}

}  // namespace cucore::array
