// SPDX-License-Identifier: Apache-2.0
// Writes and checks the bytes of handles for other processes.
#include "cpu/driver/ipc.hpp"

#include <unistd.h>

#include <cstring>

#include "cpu/driver/failure.hpp"

namespace cucore::cpu {
namespace {
constexpr uint64_t IPC_MAGIC = 0x3163706975706363;  // "ccpuipc1"
}

IpcBytes ipc_bytes(const SharedMemory& memory, const SharedKey& pool) {
  const SharedHeader& header = memory.header();
  return {IPC_MAGIC, getpid(), memory.file(), header.kind, 0, header.size, header.key, pool};
}

IpcBytes read_ipc_bytes(const void* bytes, SharedKind kind) {
  IpcBytes ipc;
  std::memcpy(&ipc, bytes, sizeof ipc);
  require(ipc.magic == IPC_MAGIC && ipc.kind == kind && ipc.unused == 0);
  return ipc;
}

bool of_this_process(const IpcBytes& bytes) { return bytes.process == getpid(); }

std::shared_ptr<SharedMemory> open_ipc(const IpcBytes& bytes) {
  auto memory = SharedMemory::open_of(bytes.process, bytes.file, bytes.kind);
  require(memory && memory->header().key == bytes.key && memory->size() == bytes.size);
  return memory;
}

}  // namespace cucore::cpu
