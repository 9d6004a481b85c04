/* SPDX-License-Identifier: Apache-2.0
 * A table of the CPU device, which receives the PTX of CUBINs through it. The libraries of the
 * folder compat use it. It is C and has no type of CUDA.
 *
 *   cuGetExportTable((const void**)&table, (const CUuuid*)CUCORE_CPU_CODE_ID)
 *
 * New functions are added only at the end: check `size`. */
#pragma once

#include <stddef.h>

#define CUCORE_CPU_CODE_ID "cucore-cpu-code1" /* 16 bytes without the final zero */

/* The kinds of input, with the numbers of CUjitInputType. */
enum cucore_cpu_input { /* NOLINT(readability-identifier-naming): C */
                        CUCORE_CPU_INPUT_CUBIN = 0,
                        CUCORE_CPU_INPUT_PTX = 1,
                        CUCORE_CPU_INPUT_FATBIN = 2,
                        CUCORE_CPU_INPUT_OBJECT = 3,
                        CUCORE_CPU_INPUT_LIBRARY = 4
};

struct cucore_cpu_part { /* NOLINT(readability-identifier-naming): C */
  int kind;
  const void* data; /* NULL: `name` is the path of a file */
  size_t size;
  const char* name;
};

struct cucore_cpu_code { /* NOLINT(readability-identifier-naming): C */
  size_t size;           /* of this struct in the library */

  /* Remembers the PTX from which a CUBIN was made. Returns 0 or a CUresult. */
  int (*remember_ptx)(const void* cubin, size_t cubin_size, const char* ptx, size_t ptx_size);

  /* Links the PTX of the inputs of a link for compute capability `sm`, and remembers the result as
   * the PTX of the linked CUBIN. Returns 0 or a CUresult. */
  int (*remember_link)(const void* cubin, size_t cubin_size, const struct cucore_cpu_part* parts,
                       size_t count, int sm);
};

#ifdef __cplusplus
namespace cucore::cpu {
const cucore_cpu_code& code_table();
}  // namespace cucore::cpu
#endif
