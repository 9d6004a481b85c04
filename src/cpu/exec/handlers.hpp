// SPDX-License-Identifier: Apache-2.0
// The families of instruction handlers, each built once for every instruction set of the host.
#pragma once

#include "cpu/exec/executor.hpp"
#include "cpu/exec/warp.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

// Whose parameters ld.param and st.param mean: the launch's, with a fixed or computed offset, or
// those of calls between functions.
enum class ParamKind : uint8_t { KERNEL, KERNEL_INDEXED, FRAME };

// What a handler depends on besides the form: bytes of one lane of each register operand, since
// loads, stores and conversions take registers that are wider than their type.
struct Widths {
  uint8_t d = 0;  // destination, or value of a load or store
  uint8_t a = 0;  // source, or address
  ParamKind param = ParamKind::FRAME;
};

// A handler that takes the comparison to make in Op::imm.
struct Comparison {
  Handler run = nullptr;
  uint64_t imm = 0;
};

// Every family answers nullptr for what is not its own.
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
