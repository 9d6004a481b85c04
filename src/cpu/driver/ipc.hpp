// SPDX-License-Identifier: Apache-2.0
// The 64 bytes by which another process of the machine opens shared memory. They name a process,
// one of its file descriptors, and the key of the file. Nothing remains when the processes end.
#pragma once

#include <cstdint>
#include <memory>

#include "cpu/exec/shared_memory.hpp"

namespace cucore::cpu {

struct IpcBytes {
  uint64_t magic = 0;
  int32_t process = 0;
  int32_t file = 0;
  SharedKind kind = SharedKind::MEMORY;
  uint32_t unused = 0;
  uint64_t size = 0;
  SharedKey key{};
  SharedKey pool{};  // of memory of a pool: the key of the pool
};
static_assert(sizeof(IpcBytes) == 64);

IpcBytes ipc_bytes(const SharedMemory& memory, const SharedKey& pool = {});
// Reads the bytes that any program may have written. Throws INVALID_VALUE for others.
IpcBytes read_ipc_bytes(const void* bytes, SharedKind kind);
bool of_this_process(const IpcBytes& bytes);
// Throws INVALID_VALUE if the memory has ended.
std::shared_ptr<SharedMemory> open_ipc(const IpcBytes& bytes);

}  // namespace cucore::cpu
