// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel an SM of the profile could hold at once.
#pragma once

#include <cstddef>

#include "cpu/driver/library.hpp"
#include "cpu/driver/profile.hpp"

namespace cucore::cpu {

struct BlockNeeds {
  int threads = 0;
  int registers = 0;  // of a thread
  size_t shared = 0;  // static and dynamic
};

int blocks_per_multiprocessor(const Multiprocessor& sm, const BlockNeeds& needs);
// Does the register file hold a block of so many threads?
bool registers_suffice(const Multiprocessor& sm, const BlockNeeds& needs);
// Shared memory that each of `blocks` resident blocks may have, static memory included.
size_t shared_per_block(const Multiprocessor& sm, int blocks);
int active_clusters(const Multiprocessor& sm, int sm_count, int cluster, const BlockNeeds& needs);

BlockNeeds needs_of(const Function& function, int threads, size_t dynamic_shared);

}  // namespace cucore::cpu
