// SPDX-License-Identifier: Apache-2.0
// The two ways in which a function of the fake driver returns early.
#pragma once

#define RETURN_IF_FAILED(expression)                                                 \
  do {                                                                               \
    if (const CUresult failed = (expression); failed != CUDA_SUCCESS) return failed; \
  } while (false)

#define NEED(condition, result)      \
  do {                               \
    if (!(condition)) return result; \
  } while (false)
