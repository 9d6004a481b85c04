// SPDX-License-Identifier: Apache-2.0
// mma and wmma.mma: from registers to dense matrices, and back.
#include <cstring>

#include "cpu/exec/halves.hpp"
#include "cpu/exec/matrix_access.hpp"

namespace cucore::cpu {
namespace {

using ptx::Element;
using ptx::MatrixForm;
using ptx::Opcode;

constexpr unsigned MAX_LEFT = 16 * 256, MAX_RIGHT = 256 * MAX_COLUMNS;  // elements, of single bits
constexpr unsigned MAX_REAL_LEFT = 16 * 64, MAX_REAL_RIGHT = 64 * MAX_COLUMNS;
constexpr unsigned MAX_RESULT = 16 * MAX_COLUMNS;

bool is_exact(Element element) { return ptx::is_integer(element) || element == Element::b1; }

uint32_t half_bits(double v) { return v == v ? Half::from(v) : 0x7fff; }
uint32_t single_bits(double v) {
  const float f = float(v);
  return f == f ? std::bit_cast<uint32_t>(f) : 0x7fffffff;
}

void multiply_reals(const MatrixPlan& plan, const RawProduct& raw) {
  alignas(64) double a[MAX_REAL_LEFT], b[MAX_REAL_RIGHT], c[MAX_RESULT], d[MAX_RESULT];
  alignas(64) int32_t ax[MAX_REAL_LEFT], bx[MAX_REAL_RIGHT], cx[MAX_RESULT];
  const MatrixForm& form = plan.form;
  const size_t left = size_t{raw.m} * raw.k, results = size_t{raw.m} * raw.n;
  plan.kernels->to_reals(form.a, raw.a, left, {a, ax});
  plan.kernels->to_reals(form.b, raw.b, size_t{form.k} * raw.n, {b, bx});
  plan.kernels->to_reals(form.c, raw.c, results, {c, cx});
  for (size_t i = 0; i < left && raw.negates; ++i) a[i] = -a[i];
  RealProduct product;
  product.a = {a, ax};
  product.b = {b, bx};
  product.c = {c, cx};
  product.d = d;
  product.rows = raw.rows;
  product.m = raw.m;
  product.n = raw.n;
  product.k = raw.k;
  product.to_half = form.d == Element::f16;
  product.model = plan.model;
  switch (plan.model.emulation) {
    case Emulation::FUSED:
      multiply_fused(product);
      break;
    case Emulation::HALVES:
      multiply_in_halves(product, form.k, *plan.kernels);
      break;
    default:
      plan.kernels->multiply_reals(product);
  }
  for (size_t i = 0; i < results; ++i)
    raw.d[i] = product.to_half ? half_bits(d[i]) : single_bits(d[i]);
}

void multiply_exactly(const MatrixPlan& plan, const RawProduct& raw) {
  alignas(64) int32_t a[MAX_LEFT], b[MAX_RIGHT], c[MAX_RESULT], d[MAX_RESULT];
  const MatrixForm& form = plan.form;
  const size_t results = size_t{raw.m} * raw.n;
  plan.kernels->to_integers(form.a, raw.a, size_t{raw.m} * raw.k, a);
  plan.kernels->to_integers(form.b, raw.b, size_t{form.k} * raw.n, b);
  std::memcpy(c, raw.c, results * sizeof *c);
  IntegerProduct product;
  product.a = a;
  product.b = b;
  product.c = c;
  product.d = d;
  product.rows = raw.rows;
  product.m = raw.m;
  product.n = raw.n;
  product.k = raw.k;
  product.saturates = form.saturates;
  product.is_xor = form.a == Element::b1 && !form.is_and;
  plan.kernels->multiply_integers(product);
  std::memcpy(raw.d, d, results * sizeof *d);
}

void wide_product(const Warp& w, const MatrixOp& o) {
  uint64_t a[256], b[128], c[128], d[128];
  const MatrixPlan& plan = *o.plan;
  gather_wide(w, plan.a, o.a, a);
  gather_wide(w, plan.b, o.b, b);
  gather_wide(w, plan.c, o.c, c);
  DoubleProduct product;
  double values[4][256];
  std::memcpy(values[0], a, plan.a.size() * 8);
  std::memcpy(values[1], b, plan.b.size() * 8);
  std::memcpy(values[2], c, plan.c.size() * 8);
  product.a = values[0];
  product.b = values[1];
  product.c = values[2];
  product.d = values[3];
  product.m = plan.form.m;
  product.n = plan.form.n;
  product.k = plan.form.k;
  multiply_doubles(product, plan.rounding);
  std::memcpy(d, values[3], plan.d.size() * 8);
  scatter_wide(w, plan.d, o.d, d);
}

void product(Warp& w, const Op& op) {
  require_whole_warp(w, op);
  const MatrixOp& o = matrix_of(w, op);
  const MatrixPlan& plan = *o.plan;
  if (plan.form.a == Element::f64) return wide_product(w, o);
  uint32_t a[MAX_LEFT], b[256 * 8], c[512], d[512];
  uint16_t rows[MAX_REAL_LEFT];
  gather(w, plan.a, o.a, a);
  gather(w, plan.b, o.b, b);
  gather(w, plan.c, o.c, c);
  RawProduct raw;
  raw.m = plan.a.rows / plan.products;
  raw.n = plan.form.n;
  raw.k = plan.form.stored_k();
  if (plan.form.is_sparse) {
    sparse_rows(plan.form, w.at<uint32_t>(o.metadata), o.selector, rows);
    raw.rows = rows;
  }
  for (unsigned i = 0; i < plan.products; ++i) {
    raw.a = a + size_t{i} * raw.m * raw.k;
    raw.b = b + size_t{i} * plan.form.k * raw.n;
    raw.c = c + size_t{i} * raw.m * raw.n;
    raw.d = d + size_t{i} * raw.m * raw.n;
    multiply(plan, raw);
  }
  scatter(w, plan.d, o.d, d);
}

}  // namespace

void multiply(const MatrixPlan& plan, const RawProduct& product) {
  if (is_exact(plan.form.a))
    multiply_exactly(plan, product);
  else
    multiply_reals(plan, product);
}

void gather(const Warp& w, const Fragment& f, const std::vector<Slot>& slots, uint32_t* raw) {
  const uint16_t* place = f.places.data();
  const uint32_t mask = f.bits == 32 ? ~uint32_t{0} : (uint32_t{1} << f.bits) - 1;
  for (const Slot slot : slots) {
    const uint32_t* words = w.at<uint32_t>(slot);
    for (unsigned e = 0; e < f.elements(); ++e, place += LANES)
      for (int l = 0; l < LANES; ++l) raw[place[l]] = words[l] >> (e * f.bits) & mask;
  }
}

void scatter(const Warp& w, const Fragment& f, const std::vector<Slot>& slots,
             const uint32_t* raw) {
  const uint16_t* place = f.places.data();
  for (const Slot slot : slots) {
    uint32_t words[LANES] = {};
    for (unsigned e = 0; e < f.elements(); ++e, place += LANES)
      for (int l = 0; l < LANES; ++l) words[l] |= raw[place[l]] << (e * f.bits);
    std::memcpy(w.at<uint32_t>(slot), words, sizeof words);
  }
}

void gather_wide(const Warp& w, const Fragment& f, const std::vector<Slot>& slots, uint64_t* raw) {
  const uint16_t* place = f.places.data();
  for (const Slot slot : slots)
    for (int l = 0; l < LANES; ++l) raw[*place++] = w.at<uint64_t>(slot)[l];
}

void scatter_wide(const Warp& w, const Fragment& f, const std::vector<Slot>& slots,
                  const uint64_t* raw) {
  const uint16_t* place = f.places.data();
  for (const Slot slot : slots)
    for (int l = 0; l < LANES; ++l) w.at<uint64_t>(slot)[l] = raw[*place++];
}

Handler select_matrix(Opcode opcode) {
  switch (opcode) {
    case Opcode::mma:
    case Opcode::mma_sp:
    case Opcode::mma_sp_ordered:
    case Opcode::wmma_mma:
      return product;
    case Opcode::wgmma_mma_async:
    case Opcode::wgmma_mma_async_sp:
      return select_warpgroup_product();
    default:
      return select_matrix_memory(opcode);
  }
}

}  // namespace cucore::cpu
