// SPDX-License-Identifier: Apache-2.0
// Computes how many blocks of a kernel an SM of the profile can hold at once.
#pragma once

#include <cstddef>

#include "cpu/driver/library.hpp"
#include "cpu/driver/profile.hpp"

namespace cucore::cpu {

struct BlockNeeds {
  int threads = 0;
  int registers = 0;  // per thread
  size_t shared = 0;  // static plus dynamic
};

int blocks_per_multiprocessor(const Multiprocessor& sm, const BlockNeeds& needs);
// Returns true if the register file holds a block of this many threads.
bool registers_suffice(const Multiprocessor& sm, const BlockNeeds& needs);
// Returns the shared memory that a multiprocessor has for blocks. It is the smallest of its sizes
// that holds one block and the percentage that the kernel prefers. -1 prefers none.
size_t shared_for_blocks(const Profile& profile, size_t of_block, int carveout);

// Returns the shared memory, including static memory, available to each of `blocks` resident
// blocks.
size_t shared_per_block(const Multiprocessor& sm, int blocks);
// Returns the most blocks that a cluster of the kernel may have; 0: the profile has no clusters.
int largest_cluster(const Function& function);
int active_clusters(const Multiprocessor& sm, int sm_count, int cluster, const BlockNeeds& needs);

BlockNeeds needs_of(const Function& function, int threads, size_t dynamic_shared);

}  // namespace cucore::cpu
