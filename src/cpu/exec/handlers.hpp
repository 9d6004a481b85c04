// SPDX-License-Identifier: Apache-2.0
// The families of instruction handlers, each built once per instruction set of the host.
#pragma once

#include "cpu/exec/executor.hpp"
#include "cpu/exec/matrix_kernels.hpp"
#include "cpu/exec/warp.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

// The parameters that ld.param and st.param access: those of the launch, with a fixed or computed
// offset, or those of calls between functions.
enum class ParamKind : uint8_t { KERNEL, KERNEL_INDEXED, FRAME };

// Properties besides the form that select a handler: bytes per lane of each register operand.
// Loads, stores and conversions accept registers wider than their type.
struct Widths {
  uint8_t d = 0;  // destination, or value of a load or store
  uint8_t a = 0;  // source, or address
  ParamKind param = ParamKind::FRAME;
};

// A handler whose comparison is in Op::imm.
struct Comparison {
  Handler run = nullptr;
  uint64_t imm = 0;
};

struct LaneChecks;

// Each family returns nullptr for a form of another family.
struct HandlerSet {
  Handler (*move)(const ptx::Form&, Widths);
  Handler (*integer)(const ptx::Form&);
  Handler (*bits)(const ptx::Form&);
  Handler (*compare)(const ptx::Form&);
  Comparison (*comparison)(const ptx::Form&);  // setp and set in their general forms
  Handler (*real)(const ptx::Form&);
  Handler (*minmax3)(const ptx::Form&);
  Handler (*approximate)(const ptx::Form&);
  Handler (*convert)(const ptx::Form&, Widths);
  Handler (*load)(const ptx::Form&, Widths);
  Handler (*store)(const ptx::Form&, Widths);
  const MatrixKernels& (*matrix)();
  const LaneChecks& (*lane_checks)();
};

namespace baseline {
const HandlerSet& handlers();
}
#ifdef CUCPU_HAVE_AVX
namespace avx2 {
const HandlerSet& handlers();
}
namespace avx512 {
const HandlerSet& handlers();
}
#endif

const HandlerSet& handlers_for(Simd level);

}  // namespace cucore::cpu
