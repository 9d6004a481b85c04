// SPDX-License-Identifier: Apache-2.0
// Operations of streams and graphs on one word of memory: a write, or a wait for a value.
#pragma once

#include "cpu/driver/context.hpp"
#include "cpu/driver/cuda_api.hpp"

namespace cucore::cpu {

inline constexpr unsigned MOST_WORD_OPERATIONS = 256;  // of one batch

void check_word(const CUstreamBatchMemOpParams& operation);
bool writes_word(const CUstreamBatchMemOpParams& operation);
// Runs in a job. A wait ends when the context ends or is poisoned. Memory that has ended is a
// fault.
void run_word(const CUstreamBatchMemOpParams& operation, Context& context);
CUstreamBatchMemOpParams word_write(CUdeviceptr address, uint64_t value, unsigned flags, bool wide);
CUstreamBatchMemOpParams word_wait(CUdeviceptr address, uint64_t value, unsigned flags, bool wide);

}  // namespace cucore::cpu
