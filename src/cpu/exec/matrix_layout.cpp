// SPDX-License-Identifier: Apache-2.0
// The layouts of fragments: the matrix element of each register of each lane.
#include "cpu/exec/matrix.hpp"

namespace cucore::cpu {
namespace {

using ptx::Element;
using ptx::MatrixForm;
using ptx::Opcode;

// Fills the places of a fragment; place(lane, register, element) returns an index of the matrix.
template <class Place>
Fragment filled(unsigned rows, unsigned columns, Element element, unsigned registers, Place place) {
  Fragment f;
  f.registers = registers;
  f.bits = ptx::bits_of(element);
  f.rows = rows;
  f.columns = columns;
  f.places.reserve(size_t{registers} * f.elements() * LANES);
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned e = 0; e < f.elements(); ++e)
      for (unsigned lane = 0; lane < LANES; ++lane)
        f.places.push_back(static_cast<uint16_t>(place(lane, r, e)));
  return f;
}

// A in tiles of up to 16 rows. Row g of a tile is in lanes 4g to 4g + 3. Each register of a
// lane has neighbouring elements of a row. Registers alternate between rows g and g + 8, then go to
// the next columns, then to the next tile. Surplus registers of wmma repeat the fragment.
Fragment left_factor(unsigned rows, unsigned columns, Element element, unsigned registers) {
  const unsigned pack = ptx::bits_of(element) == 64 ? 1 : 32 / ptx::bits_of(element);
  const unsigned halves = rows >= 16 ? 2 : 1;
  const unsigned steps = columns / (4 * pack);
  const unsigned tile = halves * steps;  // registers of a tile
  const unsigned distinct = tile * (rows / (8 * halves));
  return filled(rows, columns, element, registers, [=](unsigned lane, unsigned r, unsigned e) {
    r %= distinct;
    const unsigned row = r / tile * 16 + r % halves * 8 + lane / 4;
    return row * columns + (r % tile / halves * 4 + lane % 4) * pack + e;
  });
}

// B as its transpose, in tiles of 8 columns. Registers go along k, then to the next tile.
Fragment right_factor(const MatrixForm& form, unsigned registers) {
  const unsigned pack = ptx::bits_of(form.b) == 64 ? 1 : 32 / ptx::bits_of(form.b);
  const unsigned steps = form.k / (4 * pack), n = form.n;
  const unsigned distinct = steps * (n / 8);
  return filled(form.k, n, form.b, registers, [=](unsigned lane, unsigned r, unsigned e) {
    r %= distinct;
    const unsigned row = (r % steps * 4 + lane % 4) * pack + e;
    return row * n + r / steps * 8 + lane / 4;
  });
}

// Accumulators in tiles of 16 x 8, or 8 x 8: two neighbouring columns, then row g + 8.
Fragment accumulator(unsigned m, unsigned n, Element element, unsigned registers) {
  const unsigned halves = m >= 16 ? 2 : 1;
  const unsigned tile = 2 * halves;  // elements of a lane
  const bool is_half = element == Element::f16;
  return filled(m, n, element, registers, [=](unsigned lane, unsigned r, unsigned e) {
    const unsigned i = is_half ? 2 * r + e : r;
    const unsigned row = i / tile / (n / 8) * 16 + i % tile / 2 * 8 + lane / 4;
    const unsigned column = i / tile % (n / 8) * 8 + lane % 4 * 2 + i % 2;
    return row * n + column;
  });
}

// mma.m8n8k4 of f16: four products of 8 x 8, each by two groups of four lanes.
unsigned quad(unsigned lane) { return lane / 4 % 4; }

Fragment quad_factor(const MatrixForm& form, bool is_left) {
  const bool along_k = is_left ? !form.a_columns : form.b_columns;
  return filled(is_left ? 32 : 16, is_left ? 4 : 8, Element::f16, 2,
                [=](unsigned lane, unsigned r, unsigned e) {
                  const unsigned i = 2 * r + e, upper = lane / 16 * 4;
                  const unsigned outer = along_k ? lane % 4 + upper : i + upper;
                  const unsigned k = along_k ? i : lane % 4;
                  return quad(lane) * 32 + (is_left ? outer * 4 + k : k * 8 + outer);
                });
}

Fragment quad_accumulator(Element element, unsigned registers) {
  const bool is_half = element == Element::f16;
  return filled(32, 8, element, registers, [=](unsigned lane, unsigned r, unsigned e) {
    const unsigned i = is_half ? 2 * r + e : r, upper = lane / 16 * 4;
    const unsigned row = upper + (is_half ? lane % 4 : (lane & 1) + (i & 2));
    const unsigned column = is_half ? i : (i & 4) + (lane & 2) + (i & 1);
    return quad(lane) * 64 + row * 8 + column;
  });
}

enum class Unit : uint8_t { HALF, QUAD, TF32, TF32_WMMA, FP8, FP8_ASYNC };

Unit unit_of(Opcode op, const MatrixForm& form) {
  const bool is_async = op == Opcode::wgmma_mma_async || op == Opcode::wgmma_mma_async_sp;
  const Element element = form.a;
  if (form.is_quad_pair() && form.d == Element::f32) return Unit::QUAD;
  if (element == Element::tf32) return op == Opcode::wmma_mma ? Unit::TF32_WMMA : Unit::TF32;
  if (element != Element::e4m3 && element != Element::e5m2) return Unit::HALF;
  return is_async ? Unit::FP8_ASYNC : Unit::FP8;
}

Accumulation model_of(Unit wanted, int sm) {
  Accumulation model;
#define ACCUMULATION(first, unit, block, fraction, result, emulation) \
  if (Unit::unit == wanted && first <= sm) model = {block, fraction, result, Emulation::emulation};
#include "cpu/exec/matrix_model.inc"
#undef ACCUMULATION
  return model;
}

void lay_out(MatrixPlan& plan) {
  const MatrixForm& form = plan.form;
  auto count = [&](char letter) { return ptx::registers_of(plan.op, form, letter); };
  if (form.is_quad_pair()) {
    plan.products = 4;
    plan.a = quad_factor(form, true);
    plan.b = quad_factor(form, false);
    plan.c = quad_accumulator(form.c, count('c'));
    plan.d = quad_accumulator(form.d, count('d'));
    return;
  }
  const bool is_async = plan.op == Opcode::wgmma_mma_async || plan.op == Opcode::wgmma_mma_async_sp;
  const unsigned m = is_async ? 16u : form.m;  // rows of one warp
  const bool loads = plan.op == Opcode::wmma_load_c || plan.op == Opcode::wmma_store_d;
  if (!loads && plan.op != Opcode::wmma_load_b)
    plan.a = left_factor(m, form.stored_k(), form.a, count('a'));
  if (!loads && plan.op != Opcode::wmma_load_a && !is_async)
    plan.b = right_factor(form, count('b'));
  if (plan.op == Opcode::wmma_load_a || plan.op == Opcode::wmma_load_b) return;
  plan.c = accumulator(m, form.n, form.c, count('c'));
  plan.d = accumulator(m, form.n, form.d, count('d'));
}

}  // namespace

std::unique_ptr<MatrixPlan> make_plan(const ptx::Form& form, int sm, const MatrixKernels& kernels) {
  auto plan = std::make_unique<MatrixPlan>();
  plan->op = form.op;
  plan->form = form.matrix;
  plan->rounding = form.rounding;
  plan->kernels = &kernels;
  plan->model = model_of(unit_of(form.op, form.matrix), sm);
  const bool moves =
      form.op == Opcode::ldmatrix || form.op == Opcode::stmatrix || form.op == Opcode::movmatrix;
  if (!moves) lay_out(*plan);
  return plan;
}

}  // namespace cucore::cpu
