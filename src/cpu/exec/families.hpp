// SPDX-License-Identifier: Apache-2.0
// The selectors of each handler family, compiled for one instruction set.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/exec/handlers.hpp"

namespace cucore::cpu::CUCPU_SIMD {

Handler select_move(const ptx::Form& form, Widths widths);
Handler select_integer(const ptx::Form& form);
Handler select_extended(const ptx::Form& form);  // add.cc, sub.cc, mad.cc, addc, subc, madc
Handler select_bits(const ptx::Form& form);
Handler select_compare(const ptx::Form& form);
Comparison select_comparison(const ptx::Form& form);
Handler select_real(const ptx::Form& form);
Handler select_minmax3(const ptx::Form& form);
Handler select_approximate(const ptx::Form& form);
Handler select_convert(const ptx::Form& form, Widths widths);
Handler select_load(const ptx::Form& form, Widths widths);
Handler select_store(const ptx::Form& form, Widths widths);
const MatrixKernels& matrix_kernels();
const LaneChecks& lane_checks();  // the vector part of the checks

}  // namespace cucore::cpu::CUCPU_SIMD
