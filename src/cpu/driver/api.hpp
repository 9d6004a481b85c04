// SPDX-License-Identifier: Apache-2.0
// Declares the functions behind the exports. cucore::cpu::api::cuX implements the exported cuX and
// may throw. Before it runs, the wrapper of calls.hpp has counted, checked and traced the call.
#pragma once

#include "cpu/driver/cuda_api.hpp"

namespace cucore::cpu::api {

#define ENTRY(needs, name, base, version, params, args) CUresult name params;
#define PER_THREAD(needs, name, impl, base, version, params, args)
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD

}  // namespace cucore::cpu::api
