/* SPDX-License-Identifier: Apache-2.0
 * Traces of the CPU device: what each PTX instruction of a launch did, in counts. The functions are
 * at the end of the control table (control.hpp). The header is C and C++ and links nothing.
 *
 *   cucore_cpu_trace* trace;
 *   control->trace_begin(NULL);
 *   cuLaunchKernel(...);
 *   control->trace_end(&trace);
 *   use(trace->launches[0].totals.global_load.sectors);
 *   control->trace_free(trace);
 *
 * Counts are of PTX. The machine code of the same kernel has other instructions. Its memory
 * requests are the same if the assembler has neither merged nor removed accesses.
 *
 * All structs may grow at their end: step through arrays by the sizes in cucore_cpu_trace. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(readability-identifier-naming): C */

enum cucore_cpu_class {
  CUCORE_CPU_CLASS_OTHER = 0, /* moves of registers, and what no other class contains */
  CUCORE_CPU_CLASS_F16,       /* arithmetic, comparison and selection of f16 and bf16 */
  CUCORE_CPU_CLASS_F32,
  CUCORE_CPU_CLASS_F64,
  CUCORE_CPU_CLASS_INTEGER, /* also of bits and predicates */
  CUCORE_CPU_CLASS_CONVERSION,
  CUCORE_CPU_CLASS_SPECIAL, /* division of reals, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh */
  CUCORE_CPU_CLASS_LOAD,
  CUCORE_CPU_CLASS_STORE,
  CUCORE_CPU_CLASS_ATOMIC,
  CUCORE_CPU_CLASS_BRANCH,   /* also calls, returns and exits */
  CUCORE_CPU_CLASS_BARRIER,  /* also fences and mbarriers */
  CUCORE_CPU_CLASS_EXCHANGE, /* shfl, vote, match, redux, elect, activemask */
  CUCORE_CPU_CLASS_MATRIX,   /* mma, wmma.mma, wgmma */
  CUCORE_CPU_CLASS_COPY,     /* asynchronous copies */
  CUCORE_CPU_CLASSES
};

enum cucore_cpu_operation_type {
  CUCORE_CPU_OPERATION_F16 = 0,
  CUCORE_CPU_OPERATION_F32,
  CUCORE_CPU_OPERATION_F64,
  CUCORE_CPU_OPERATION_INTEGER,
  CUCORE_CPU_OPERATION_MATRIX,
  CUCORE_CPU_OPERATION_TYPES
};

enum cucore_cpu_space {
  CUCORE_CPU_SPACE_GLOBAL = 0, /* generic addresses count in the space that they point to */
  CUCORE_CPU_SPACE_LOCAL,
  CUCORE_CPU_SPACE_SHARED,
  CUCORE_CPU_SPACE_CONSTANT,
  CUCORE_CPU_SPACE_PARAM,
  CUCORE_CPU_SPACES
};

#define CUCORE_CPU_WIDTHS 6 /* 1, 2, 4, 8, 16 and 32 bytes per thread */

/* Accesses of one kind to one space. A request is one warp instruction. */
struct cucore_cpu_traffic {
  uint64_t requests;
  uint64_t bytes;      /* that the threads asked for */
  uint64_t sectors;    /* global and local: different sectors of 32 bytes in each request, added */
  uint64_t wavefronts; /* shared */
  uint64_t bank_conflicts; /* shared: wavefronts beyond those that the width requires */
};

/* Counts of a launch, and of one instruction. Rows add up to the totals. */
struct cucore_cpu_counts {
  uint64_t warp_instructions;
  uint64_t thread_instructions; /* of the active threads, also those whose guard is false */
  uint64_t executed_threads;    /* of the threads whose guard is true */
  /* Per value, add, sub and mul are 1 operation, fma and mad are 2, and others are none. A matrix
   * product is 2 m n k. */
  uint64_t operations[CUCORE_CPU_OPERATION_TYPES];
  uint64_t divergent_branches; /* branches at which the active threads of a warp part */
  uint64_t barriers;           /* arrivals of warps at bar.sync, bar.red and bar.arrive */
  /* For each warp at each barrier of its block: the most warp instructions that a warp executed
   * since its last barrier, less its own. */
  uint64_t barrier_imbalance;
  struct cucore_cpu_traffic global_load, global_store, global_atomic;
  struct cucore_cpu_traffic local_load, local_store;
  /* Most atomic operations of 8 bytes of shared memory are loops in machine code. shared_load has
   * the wavefronts and bank conflicts of their loads too. */
  struct cucore_cpu_traffic shared_load, shared_store, shared_atomic;
  /* Warp instructions that access memory and are in no traffic above: textures and surfaces, tensor
   * copies, st.async, red.async, wgmma. */
  uint64_t other_accesses;
};

struct cucore_cpu_trace_row {
  const char* function; /* as in the PTX */
  const char* text;     /* the instruction, in one line without the semicolon */
  const char* file;     /* of .loc; "": unknown, as below */
  const char* inlined_file;
  uint32_t ptx_line;     /* from 1 */
  uint32_t line;         /* of .loc; 0: unknown */
  uint32_t inlined_line; /* of the call that was inlined; 0: none */
  uint32_t instruction_class;
  uint32_t width;       /* loads, stores and atomics: bytes per thread; else 0 */
  uint32_t target_line; /* of a branch: the PTX line of the instruction that it leads to; else 0 */
  struct cucore_cpu_counts counts;
};

/* Accesses to neighbouring addresses of global memory. */
struct cucore_cpu_trace_region {
  uint64_t first, end;         /* addresses: of the first sector, and behind the last one */
  uint64_t read, written, any; /* different sectors */
};

struct cucore_cpu_class_counts {
  uint64_t warp_instructions, thread_instructions;
};

struct cucore_cpu_trace_launch {
  const char* kernel; /* as in the PTX */
  uint32_t grid[3], block[3], cluster[3];
  uint32_t static_shared, dynamic_shared; /* bytes */
  uint32_t reserved;
  uint64_t blocks_run; /* less than the grid has: a sample, or the launch failed */
  int32_t result;      /* CUresult; the counts of a failed launch are incomplete */
  uint32_t has_footprint;
  const char* fault; /* "" or the reason of the result */
  struct cucore_cpu_counts totals;
  struct cucore_cpu_class_counts classes[CUCORE_CPU_CLASSES];
  /* Warp instructions by space and bytes per thread (1 << index). Vectors count as a whole. */
  uint64_t loads[CUCORE_CPU_SPACES][CUCORE_CPU_WIDTHS];
  uint64_t stores[CUCORE_CPU_SPACES][CUCORE_CPU_WIDTHS];
  /* Different sectors of global memory in the whole launch. */
  uint64_t footprint_read, footprint_written, footprint_any;
  size_t row_count;
  const struct cucore_cpu_trace_row* rows; /* of the functions that ran, in the order of the text */
  /* The parts of the footprint, by their addresses. Gaps of at least 32 GiB separate them. */
  size_t region_count;
  const struct cucore_cpu_trace_region* regions;
  /* With cache_bytes: the sectors of global memory that such a cache loads and writes back. */
  uint64_t cache_loads, cache_write_backs;
};

struct cucore_cpu_trace {
  size_t struct_size, launch_size, row_size, counts_size, traffic_size;
  size_t launch_count;
  const struct cucore_cpu_trace_launch* launches; /* in the order of their ends */
  uint64_t dropped;                               /* launches beyond max_launches */
  size_t region_size;
};

struct cucore_cpu_trace_options {
  size_t struct_size;
  uint32_t footprint;    /* 1: count different sectors, which takes memory and time */
  uint32_t max_launches; /* that trace_begin keeps; 0: 1024 */
  uint32_t totals_only;  /* 1: launches have no rows, which take most of the memory of a trace */
  uint32_t reserved;
  /* The following are for trace_launch. */
  uint64_t max_blocks;            /* 0: all; else a sample of evenly spread blocks */
  uint64_t max_warp_instructions; /* 0: 2^30; beyond it the launch fails with LAUNCH_TIMEOUT */
  /* Of any launch; 0: no cache. Accesses to global memory pass through a cache of this size, which
   * replaces the sector of the oldest use. Large caches are modelled by a part of the lines. */
  uint64_t cache_bytes;
  uint64_t row_launches; /* launches of each kernel that have rows; 0: all */
};

struct cucore_cpu_trace_shape {
  size_t struct_size;
  uint32_t grid[3], block[3], cluster[3]; /* cluster: zeros are the kernel's, or ones */
  uint32_t dynamic_shared;                /* bytes */
};

typedef struct cucore_cpu_traffic cucore_cpu_traffic;
typedef struct cucore_cpu_counts cucore_cpu_counts;
typedef struct cucore_cpu_trace_row cucore_cpu_trace_row;
typedef struct cucore_cpu_trace_region cucore_cpu_trace_region;
typedef struct cucore_cpu_class_counts cucore_cpu_class_counts;
typedef struct cucore_cpu_trace_launch cucore_cpu_trace_launch;
typedef struct cucore_cpu_trace cucore_cpu_trace;
typedef struct cucore_cpu_trace_options cucore_cpu_trace_options;
typedef struct cucore_cpu_trace_shape cucore_cpu_trace_shape;

/* NOLINTEND(readability-identifier-naming) */
