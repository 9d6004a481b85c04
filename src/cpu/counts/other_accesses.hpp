// SPDX-License-Identifier: Apache-2.0
// The traffic of accesses that are neither loads, stores nor atomic operations of one thread. They
// are cp.async, bulk copies, ldmatrix, stmatrix, and wmma loads and stores.
#pragma once

#include "cpu/exec/warp.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

struct RowTraffic;
struct WorkerCounts;

// Whether the traffic of such an instruction is counted.
bool is_counted_other(ptx::Opcode opcode);

// Counts one execution by the running warp. Returns whether it needs bytes of global memory.
bool count_other_access(Warp& w, const Op& op, ptx::Opcode opcode, WorkerCounts& counts,
                        RowTraffic& row);

}  // namespace cucore::cpu
