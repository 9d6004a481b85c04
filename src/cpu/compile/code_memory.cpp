// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/code_memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <utility>

namespace cucore::cpu {

CodeMemory::CodeMemory(std::span<const uint8_t> code) {
  if (code.empty()) return;
  void* memory =
      mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  std::memcpy(memory, code.data(), code.size());
  if (mprotect(memory, code.size(), PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, code.size());
    return;
  }
  data_ = static_cast<uint8_t*>(memory);
  bytes_ = code.size();
}

CodeMemory::CodeMemory(CodeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

CodeMemory& CodeMemory::operator=(CodeMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

CodeMemory::~CodeMemory() {
  if (data_) munmap(data_, bytes_);
}

}  // namespace cucore::cpu
