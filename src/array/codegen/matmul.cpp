// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/matmul.hpp"

#include <algorithm>

#include "array/codegen/expression.hpp"
#include "array/codegen/statements.hpp"

namespace cucore::array {
namespace {

constexpr int64_t SMALL_TILE = 32, MEDIUM_TILE = 64, LARGE_TILE = 128, PRODUCT_THREADS = 256;

struct Sizes {
  size_t batch;  // axes
  int64_t rows, columns, depth;
};

const Node& product_node(const Kernel& kernel) { return kernel.nodes[kernel.stores[0].node]; }
const Node& factor(const Kernel& kernel, size_t which) {
  return kernel.nodes[product_node(kernel).arguments[which]];
}

Sizes sizes_of(const Kernel& kernel) {
  const size_t axes = kernel.outer.size();
  return {.batch = axes - 2,
          .rows = kernel.outer[axes - 2],
          .columns = kernel.outer[axes - 1],
          .depth = factor(kernel, 0).access.outer.shape[axes - 1]};
}

int64_t blocks_of(int64_t size, int64_t tile) { return (size + tile - 1) / tile; }

int64_t batches_of(const Kernel& kernel) {
  int64_t count = 1;
  for (size_t axis = 0; axis + 2 < kernel.outer.size(); ++axis) count *= kernel.outer[axis];
  return count;
}

// The type of sums: small integers wrap when they are stored, and the sum of truths is counted.
std::string_view sum_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::BOOL:
    case Dtype::INT8:
    case Dtype::INT16:
    case Dtype::UINT8:
    case Dtype::UINT16:
      return "u32";
    case Dtype::INT32:
      return "u32";
    case Dtype::INT64:
      return "u64";
    default:
      return compute_type(dtype);
  }
}

std::string element_of_sum(Dtype dtype) {
  if (dtype == Dtype::BOOL) return "u8(sum != 0)";
  return stored(dtype, concat(compute_type(dtype), "(sum)"));
}

class MatmulText {
 public:
  explicit MatmulText(const Kernel& kernel) : kernel_(kernel), sizes_(sizes_of(kernel)) {}

  std::string body(const std::string& name) {
    const Dtype dtype = product_node(kernel_).dtype;
    const std::string_view sum = sum_type(dtype);
    if (kind_of(dtype) == Kind::COMPLEX)
      text_ += concat("__device__ ", sum, " add_product(", sum, " a, ", sum, " b, ", sum,
                      " sum) { return add_pair(a, b, sum); }\n");
    text_ += concat("extern \"C\" __global__ void __launch_bounds__(", PRODUCT_THREADS, ") ", name,
                    "(const __grid_constant__ Parameters p) {\n");
    line("i64 rest = blockIdx.x; const i64 block_column = rest % p.across; rest /= p.across;");
    line("const i64 block_row = rest % p.down; i64 batch = rest / p.down;");
    line("const i64 product = batch * p.rows * p.columns;");
    line("i64 x0 = 0, y0 = 0;");
    for (size_t axis = sizes_.batch; axis-- > 0;)
      line("{ const i64 q = batch / p.b", axis, ", d = batch - q * p.b", axis, "; x0 += d * p.xb",
           axis, "; y0 += d * p.yb", axis, "; batch = q; }");
    factor_lines("x", 0);
    factor_lines("y", 1);
    const std::string_view type = storage_type(dtype);
    line(type, "* const o = (", type, "*)p.o + product;");
    line("multiply_tiles<", sum, ", ", matmul_tile(kernel_), ", ", depth(), ">(p.rows, p.columns, ",
         "p.depth, block_row * ", matmul_tile(kernel_), ", block_column * ", matmul_tile(kernel_),
         ", Matrix{p.xr, p.xc, p.xr == 1}, Matrix{p.yr, p.yc, p.yr == 1}, load_x, load_y, [&](i64 "
         "at, ",
         sum, " sum) { o[at] = ", element_of_sum(dtype), "; });");
    return text_ + "}\n";
  }

 private:
  template <class... Parts>
  void line(const Parts&... parts) {
    text_ += concat("  ", parts..., "\n");
  }

  // Few bytes of shared memory for large elements.
  int depth() const { return size_of(product_node(kernel_).dtype) > 8 ? 8 : 16; }

  void factor_lines(std::string_view name, size_t which) {
    const Node& node = factor(kernel_, which);
    const std::string_view type = storage_type(node.dtype);
    const Dtype dtype = product_node(kernel_).dtype;
    line("const ", type, "* const ", name, " = (const ", type, "*)p.", name, " + ", name, "0;");
    line("const auto load_", name, " = [&](bool in, i64 at) { return in ? ", sum_type(dtype), "(",
         loaded(node.dtype, concat(name, "[at]")), ") : ", sum_type(dtype), "(); };");
  }

  const Kernel& kernel_;
  const Sizes sizes_;
  std::string text_;
};

void add_factor(Fields& fields, const Kernel& kernel, size_t which, std::string_view name,
                const Addresses& addresses) {
  const Node& node = factor(kernel, which);
  const View& view = node.access.outer;
  const size_t batch = sizes_of(kernel).batch;
  const auto field = [&](std::string_view suffix) {
    return fields.declares() ? concat(name, suffix) : std::string();
  };
  fields.add("u64", field(""),
             address_of(addresses.inputs[node.slot], node.access, node.part, node.dtype));
  for (size_t axis = 0; axis < batch; ++axis)
    fields.add("i64", field(concat("b", axis)), stride_of(view, axis, node.part));
  fields.add("i64", field("r"), stride_of(view, batch, node.part));
  fields.add("i64", field("c"), stride_of(view, batch + 1, node.part));
}

}  // namespace

int64_t matmul_tile(const Kernel& kernel) noexcept {
  const Sizes sizes = sizes_of(kernel);
  if (std::max(sizes.rows, sizes.columns) <= MEDIUM_TILE) return SMALL_TILE;
  return size_of(product_node(kernel).dtype) > 4 ? MEDIUM_TILE : LARGE_TILE;
}

void add_matmul_fields(Fields& fields, const Kernel& kernel, const Form&,
                       const Addresses& addresses) {
  const Sizes sizes = sizes_of(kernel);
  const int64_t tile = matmul_tile(kernel);
  fields.add("i64", "rows", sizes.rows);
  fields.add("i64", "columns", sizes.columns);
  fields.add("i64", "depth", sizes.depth);
  fields.add("i64", "across", blocks_of(sizes.columns, tile));
  fields.add("i64", "down", blocks_of(sizes.rows, tile));
  for (size_t axis = 0; axis < sizes.batch; ++axis)
    fields.add("i64", fields.declares() ? concat("b", axis) : std::string(), kernel.outer[axis]);
  add_factor(fields, kernel, 0, "x", addresses);
  add_factor(fields, kernel, 1, "y", addresses);
  fields.add("u64", "o", addresses.outputs[kernel.stores[0].slot]);
}

std::string matmul_body(const Kernel& kernel, const Form&, const std::string& name) {
  return MatmulText(kernel).body(name);
}

LaunchPlan matmul_launch(const Kernel& kernel, const Form&) {
  const Sizes sizes = sizes_of(kernel);
  const int64_t tile = matmul_tile(kernel);
  return {.grid = batches_of(kernel) * blocks_of(sizes.rows, tile) * blocks_of(sizes.columns, tile),
          .block = uint32_t{PRODUCT_THREADS},
          .parameters = {}};
}

}  // namespace cucore::array
