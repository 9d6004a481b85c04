// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async. A warp computes its 16 rows when it reaches the instruction. Descriptors name
// matrices in shared memory. wgmma.wait_group is a barrier of the warpgroup, so that no
// warp continues before the others have read their operands.
#include <cstring>

#include "cpu/exec/block.hpp"
#include "cpu/exec/matrix_access.hpp"

namespace cucore::cpu {
namespace {

using ptx::Element;
using ptx::MatrixForm;

constexpr unsigned WARPS = 4;  // of a warpgroup
constexpr unsigned PART = 16;  // bytes of the units in which descriptors place a matrix
constexpr unsigned ROWS = 16;  // of A and D, per warp

// The fields of a matrix descriptor. Rows of a swizzled matrix are `width` units long.
struct Descriptor {
  uint64_t start, leading, stride;
  unsigned phase;  // base offset
  unsigned width;  // 8, 4, 2, or 1 without swizzle

  explicit Descriptor(uint64_t bits)
      : start((bits & 0x3fff) << 4),
        leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4),
        phase(bits >> 49 & 7) {
    static constexpr unsigned WIDTHS[] = {1, 8, 4, 2};
    width = WIDTHS[bits >> 62];
  }

  // Swizzling exchanges the units of a row in a pattern that repeats after eight rows.
  uint64_t swizzled(uint64_t address) const {
    return address ^ (((address >> 7) - phase) & (width - 1)) << 4;
  }

  // The address of a unit along k of row `line`.
  uint64_t along_k(unsigned line, unsigned unit) const {
    const uint64_t row = start + line / 8 * stride + uint64_t{line % 8} * width * PART;
    return swizzled(row + unit / width * leading + uint64_t{unit % width} * PART);
  }

  // The address of a unit of eight lines at position k: the matrix is transposed.
  uint64_t across_k(unsigned unit, unsigned k) const {
    const uint64_t row = start + uint64_t{k % 8} * width * PART;
    if (width == 1) return row + unit * stride + k / 8 * leading;
    return swizzled(row + k / 8 * stride + unit / width * leading + uint64_t{unit % width} * PART);
  }
};

// One matrix operand in memory: `count` lines of `k` elements, from line `first` on.
struct Source {
  Descriptor descriptor;
  unsigned bits, first, count, k;
  bool is_transposed;
};

class Reader {
 public:
  Reader(Warp& w, const Op& op, const Source& source) : w_(w), op_(op), source_(source) {}

  // Calls put(line, k, raw element) for each element.
  template <class Put>
  void read(Put put) {
    const Source& s = source_;
    const unsigned per_unit = PART * 8 / s.bits;
    uint32_t raw[PART * 8];
    if (s.is_transposed) {
      for (unsigned unit = 0; unit < s.count / 8; ++unit)
        for (unsigned k = 0; k < s.k; ++k) {
          fetch(s.descriptor.across_k(s.first / 8 + unit, k), raw);
          for (unsigned e = 0; e < 8; ++e) put(unit * 8 + e, k, raw[e]);
        }
      return;
    }
    for (unsigned line = 0; line < s.count; ++line)
      for (unsigned unit = 0; unit < s.k / per_unit; ++unit) {
        fetch(s.descriptor.along_k(s.first + line, unit), raw);
        for (unsigned e = 0; e < per_unit; ++e) put(line, unit * per_unit + e, raw[e]);
      }
  }

 private:
  void fetch(uint64_t address, uint32_t* raw) {
    uint32_t words[PART / 4];
    std::memcpy(words, resolve(w_, op_, 0, address, PART, Access::READ, Region::SHARED), PART);
    const unsigned bits = source_.bits;
    const uint32_t mask = bits == 32 ? ~uint32_t{0} : (uint32_t{1} << bits) - 1;
    for (unsigned bit = 0, e = 0; bit < PART * 8; bit += bits, ++e)
      raw[e] = words[bit / 32] >> bit % 32 & mask;
  }

  Warp& w_;
  const Op& op_;
  const Source source_;
};

void require_warpgroup(const Warp& w, const Op& op) {
  require_whole_warp(w, op);
  const uint32_t last = w.index | (WARPS - 1);
  if (last < w.block->launch.warp_count) return;
  raise(w, op, 0, CUDA_ERROR_ILLEGAL_INSTRUCTION, "incomplete warpgroup",
        "the block has " + std::to_string(w.block->launch.warp_count) +
            " warps; wgmma needs 4 warps, the first a multiple of 4");
}

// Returns a descriptor, which must be the same in all lanes.
Descriptor descriptor_of(const Warp& w, const Op& op, Slot slot) {
  const uint64_t* values = w.at<uint64_t>(slot);
  for (int l = 1; l < LANES; ++l)
    if (values[l] != values[0])
      raise(w, op, l, CUDA_ERROR_ILLEGAL_INSTRUCTION, "invalid matrix descriptor",
            hex_text(values[l]) + " is not that of the first lane, " + hex_text(values[0]));
  return Descriptor(values[0]);
}

struct Workspace {
  uint32_t a[ROWS * 256];
  uint32_t b[256 * MAX_COLUMNS];
  uint32_t c[ROWS * MAX_COLUMNS], d[ROWS * MAX_COLUMNS];
  uint32_t sums[ROWS * 256];
  uint16_t rows[ROWS * 64];
};

void read_left(Warp& w, const Op& op, const MatrixOp& o, Workspace& space) {
  const MatrixForm& form = o.plan->form;
  const unsigned k = form.stored_k();
  if (o.a_descriptor == NO_SLOT) return gather(w, o.plan->a, o.a, space.a);
  const Source source{descriptor_of(w, op, o.a_descriptor),
                      ptx::bits_of(form.a),
                      w.index % WARPS * ROWS,
                      ROWS,
                      k,
                      o.transposes_a};
  Reader(w, op, source).read([&](unsigned line, unsigned i, uint32_t raw) {
    space.a[line * k + i] = raw;
  });
}

void read_right(Warp& w, const Op& op, const MatrixOp& o, const Descriptor& b, unsigned first,
                unsigned count, Workspace& space) {
  const MatrixForm& form = o.plan->form;
  const Source source{b, ptx::bits_of(form.b), first, count, form.k, o.transposes_b};
  Reader(w, op, source).read([&](unsigned line, unsigned i, uint32_t raw) {
    space.b[i * count + line] = raw;
  });
}

// Computes `count` columns from `first` on.
void multiply_part(const MatrixOp& o, unsigned first, unsigned count, Workspace& space) {
  const MatrixForm& form = o.plan->form;
  for (unsigned row = 0; row < ROWS; ++row)
    std::memcpy(space.c + row * count, space.sums + row * form.n + first, count * 4);
  RawProduct raw;
  raw.a = space.a;
  raw.b = space.b;
  raw.c = space.c;
  raw.d = space.d;
  raw.rows = form.is_sparse ? space.rows : nullptr;
  raw.m = ROWS;
  raw.n = count;
  raw.k = form.stored_k();
  raw.negates = o.negates_a != o.negates_b;
  multiply(*o.plan, raw);
  for (unsigned row = 0; row < ROWS; ++row)
    std::memcpy(space.sums + row * form.n + first, space.d + row * count, count * 4);
}

void product(Warp& w, const Op& op) {
  require_warpgroup(w, op);
  const MatrixOp& o = matrix_of(w, op);
  const MatrixForm& form = o.plan->form;
  Workspace space;
  const bool adds = ((*w.at<uint32_t>(o.scale) & 1) != 0) != o.scale_negated;
  if (adds)
    gather(w, o.plan->d, o.d, space.sums);
  else
    std::memset(space.sums, 0, ROWS * form.n * sizeof(uint32_t));
  read_left(w, op, o, space);
  if (form.is_sparse) sparse_rows(form, w.at<uint32_t>(o.metadata), o.selector, space.rows);
  const Descriptor b = descriptor_of(w, op, o.b_descriptor);
  for (unsigned first = 0; first < form.n; first += MAX_COLUMNS) {
    const unsigned count = form.n - first < MAX_COLUMNS ? form.n - first : MAX_COLUMNS;
    read_right(w, op, o, b, first, count, space);
    multiply_part(o, first, count, space);
  }
  scatter(w, o.plan->d, o.d, space.sums);
}

}  // namespace

Handler select_warpgroup_product() { return product; }

}  // namespace cucore::cpu
