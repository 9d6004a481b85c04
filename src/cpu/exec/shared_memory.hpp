// SPDX-License-Identifier: Apache-2.0
// Memory in a file without a name, which other processes and several addresses can map. The system
// frees it with the last process that has it open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace cucore::cpu {

class Shadow;

enum class SharedKind : uint32_t { MEMORY = 1, POOL, EVENT };

// Identifies one file among those of all processes.
using SharedKey = std::array<uint8_t, 16>;

// Describes the file behind its last byte. Other processes can write it, so a reader checks it.
struct SharedHeader {
  uint64_t magic = 0;
  SharedKind kind = SharedKind::MEMORY;
  int32_t device = 0;
  uint64_t size = 0;          // bytes of the memory
  uint64_t handle_types = 0;  // the types of handles that its owner has allowed
  SharedKey key{};
};

class SharedMemory {
 public:
  // Returns zeroed memory; nullptr if the system has none, or no file descriptor. `size` is not 0.
  static std::shared_ptr<SharedMemory> create(SharedKind kind, uint64_t size, int device,
                                              uint64_t handle_types = 0);
  // Opens a file that another process, or this one, has exported. The descriptor stays the
  // caller's. Returns nullptr unless create() has made the file.
  static std::shared_ptr<SharedMemory> open(int file, SharedKind kind);
  // Does the same with the descriptor of another process of the same user.
  static std::shared_ptr<SharedMemory> open_of(int process, int file, SharedKind kind);

  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  const SharedHeader& header() const { return header_; }
  uint64_t size() const { return header_.size; }
  int file() const { return file_; }
  int duplicate() const;  // a descriptor for the caller; -1: the process has too many
  // Maps the first `size` bytes, at `place` unless it is null. Returns nullptr if memory is
  // exhausted.
  std::byte* map(uint64_t size, std::byte* place = nullptr) const;
  Shadow* shadow();  // the same for every address at which the memory is mapped

 private:
  SharedMemory(int file, const SharedHeader& header);
  const int file_;
  const SharedHeader header_;
  std::mutex mutex_;
  std::unique_ptr<Shadow> shadow_;
};

}  // namespace cucore::cpu
