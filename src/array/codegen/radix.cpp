// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/radix.hpp"

#include <algorithm>

#include "array/codegen/element_text.hpp"
#include "array/codegen/expression.hpp"
#include "array/codegen/sort.hpp"

namespace cucore::array {
namespace {

constexpr int64_t RADIX_CHUNK = 32768, DIGITS = 256, RADIX_THREADS = 256, RADIX_TILE = 4096;
constexpr int64_t LEAST_LENGTH = 65536;  // shorter rows are merged faster
constexpr int32_t PHASES = 3;            // of a pass: count, scan, scatter

int64_t radix_chunks(const Kernel& kernel) {
  return (kernel.row_size() + RADIX_CHUNK - 1) / RADIX_CHUNK;
}
int32_t passes_of_key(const Kernel& kernel) { return static_cast<int32_t>(sort_key_size(kernel)); }

struct RadixMemory {
  int64_t keys = 0, places = 0, counts = 0, totals = 0;  // bytes; two of keys and places
  int64_t all() const { return 2 * (keys + places) + counts + totals; }
};

RadixMemory radix_memory(const Kernel& kernel) {
  const int64_t index = needs_wide(kernel) ? 8 : 4, count = kernel.rows() * kernel.row_size();
  return {.keys = sort_aligned(count * sort_key_size(kernel)),
          .places = sorted_node(kernel).sort.positions ? sort_aligned(count * index) : 0,
          .counts = sort_aligned(kernel.rows() * DIGITS * radix_chunks(kernel) * index),
          .totals = sort_aligned(kernel.rows() * DIGITS * index)};
}

class RadixText : public ElementText {
 public:
  using ElementText::ElementText;

  std::string body(const std::string& name) {
    const Dtype key = sort_key_dtype(kernel_);
    text_ += concat("typedef ", compute_type(key), " K;\n");
    put_type();
    head(name, RADIX_THREADS);
    line("__shared__ Words<", RADIX_TILE, " * (sizeof(K) > sizeof(I) ? sizeof(K) : sizeof(I))> h;");
    line("__shared__ u32 counts[2048], starts[256]; __shared__ I offsets[256], shared[8];");
    line(
        "const I blocks = size(p.blocks), row = div(I(blockIdx.x), p.blocks), block = "
        "I(blockIdx.x) - row * blocks;");
    line("const int pass = p.phase / 3; const I at = row * p.length;");
    line("I* const all = (I*)p.counts + row * 256 * p.chunks;");
    line("if (p.phase % 3 == 1) {");
    line(
        "if (block < 256) scan_counts<I>(all + block * p.chunks, p.chunks, (I*)p.totals + row * "
        "256 + block, shared);");
    line("return; }");
    line("if (block >= p.chunks) return;");
    line("const I first = block * ", RADIX_CHUNK, ", count = p.length - first < ", RADIX_CHUNK,
         " ? p.length - first : I(", RADIX_CHUNK, ");");
    line("const K* const keys = (const K*)(pass % 2 ? p.keys1 : p.keys0) + at + first;");
    line("if (p.phase % 3 == 2) {");
    scatter();
    line("return; }");
    line("for (int d = threadIdx.x; d < 2048; d += 256) counts[d] = 0;");
    line("__syncthreads();");
    line("if (p.phase == 0) {");
    elements();
    line("__syncthreads();");
    line("}");
    line("for (I tile = 0; tile < count; tile += ", RADIX_TILE, ") {");
    line("const int left = count - tile < ", RADIX_TILE, " ? int(count - tile) : ", RADIX_TILE,
         ";");
    line("K own[16];");
    line("#pragma unroll");
    line(
        "for (int e = 0; e < 16; ++e) { const int f = threadIdx.x / 32 * 512 + e * 32 + "
        "threadIdx.x % 32; own[e] = f < left ? keys[tile + f] : K(); }");
    line("count_digits<", descending(), ">(own, counts, left, pass);");
    line("}");
    line("__syncthreads();");
    line("u32 sum = 0;");
    line("for (int w = 0; w < 8; ++w) sum += counts[w * 256 + threadIdx.x];");
    line("all[threadIdx.x * p.chunks + block] = I(sum);");
    return text_ + "}\n";
  }

 private:
  bool positions() const { return sorted_node(kernel_).sort.positions; }
  std::string_view descending() const {
    return sorted_node(kernel_).sort.descending ? "true" : "false";
  }

  // The places that a pass writes to. The last pass writes the result.
  void put_type() {
    const Dtype dtype = sorted_node(kernel_).dtype;
    const std::string_view type = storage_type(dtype);
    text_ += concat("struct Put { K* keys; I* places; ", type, "* result;\n");
    text_ += concat("  __device__ void key(I at, K key) const { if (",
                    positions() ? "keys) keys[at] = key;"
                                : concat("result) result[at] = ", stored(dtype, "key"),
                                         "; else keys[at] = key;"),
                    " }\n");
    text_ += "  __device__ void place(I at, I place) const { ";
    text_ += positions() ? "if (result) result[at] = i64(place); else places[at] = place; " : "";
    text_ += "}\n};\n";
  }

  // Reads one place of the keys and writes the other one.
  void scatter() {
    const std::string_view type = storage_type(sorted_node(kernel_).dtype);
    line(
        "I sum; const I base = sum_before<I>(((const I*)p.totals)[row * 256 + threadIdx.x], "
        "shared, "
        "&sum);");
    line("offsets[threadIdx.x] = base + all[threadIdx.x * p.chunks + block];");
    line("__syncthreads();");
    line("const bool ends = pass + 1 == p.passes;");
    line(
        "const Put put = {ends ? nullptr : (K*)(pass % 2 ? p.keys0 : p.keys1) + at, (I*)(pass % 2 "
        "? "
        "p.places0 : p.places1) + at, ends ? (",
        type, "*)p.", store_name(0), " + at : nullptr};");
    line("scatter_chunk<", descending(), ", ", positions() ? "true" : "false",
         ">(keys, (const I*)(pass % 2 ? p.places1 : p.places0) + at + first, count, pass, offsets, "
         "counts, starts, shared, h.w, put);");
  }

  // The keys of the chunk, in memory for all passes.
  void elements() {
    line("[[maybe_unused]] const bool active = true;");
    row_digits();
    pointers();
    row_nodes(0);
    line("for (int f0 = threadIdx.x * 4; f0 < ", RADIX_CHUNK, "; f0 += ", RADIX_THREADS * 4, ") {");
    line("const I c = first + f0, left = p.length - c;");
    load_vectors(0, "c", "left > 0");
    line("#pragma unroll");
    line("for (int v = 0; v < 4; ++v) { const bool in = v < left;");
    element_nodes(0, "");
    line("if (in) ((K*)p.keys0)[at + c + v] = ", variable(sort_key_node(kernel_)), ";");
    if (positions()) line("if (in) ((I*)p.places0)[at + c + v] = c + v;");
    line("} }");
  }
};

}  // namespace

bool sorts_by_digits(const Kernel& kernel) noexcept {
  return kind_of(sort_key_dtype(kernel)) != Kind::COMPLEX && kernel.row_size() >= LEAST_LENGTH;
}

Scratch radix_scratch(const Kernel& kernel) {
  return {.partial_bytes = radix_memory(kernel).all()};
}

int32_t radix_phases(const Kernel& kernel) noexcept { return PHASES * passes_of_key(kernel); }

void add_radix_fields(Fields& fields, const Kernel& kernel, const Form& form,
                      const Addresses& addresses) {
  const RadixMemory memory = radix_memory(kernel);
  uint64_t address = addresses.partials;
  const auto place = [&](std::string_view name, int64_t bytes) {
    fields.add("u64", name, address);
    address += uint64_t(bytes);
  };
  add_space(fields, kernel, form);
  add_divisor(fields, form.wide, "blocks", std::max(radix_chunks(kernel), DIGITS));
  add_number(fields, form.wide, "chunks", radix_chunks(kernel));
  place("keys0", memory.keys);
  place("keys1", memory.keys);
  place("places0", memory.places);
  place("places1", memory.places);
  place("counts", memory.counts);
  place("totals", memory.totals);
  fields.add("i32", "passes", passes_of_key(kernel));
  add_nodes(fields, kernel, form, addresses);
}

std::string radix_body(const Kernel& kernel, const Form& form, const std::string& name) {
  return RadixText(kernel, form).body(name);
}

LaunchPlan radix_launch(const Kernel& kernel) {
  return {.grid = kernel.rows() * std::max(radix_chunks(kernel), DIGITS),
          .block = uint32_t{RADIX_THREADS},
          .parameters = {}};
}

}  // namespace cucore::array
