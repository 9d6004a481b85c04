// SPDX-License-Identifier: Apache-2.0
// The checks of usual accesses, see LaneChecks. Only files that are built once per instruction set
// include it.
#pragma once

#include "cpu/checks/lane_checks.hpp"

namespace cucore::cpu::CUCPU_SIMD {

bool global(const Warp& w, const Op& op, const RowAccess& a);
bool row_group(const Warp& w, const Op& op, const RowAccess& a, const RowSites& sites);
bool shared(const Warp& w, const Op& op, bool is_narrow, const RowAccess& a);
QuickCheck quick_check(uint32_t size, bool is_store);

}  // namespace cucore::cpu::CUCPU_SIMD
