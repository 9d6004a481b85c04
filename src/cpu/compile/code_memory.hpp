// SPDX-License-Identifier: Apache-2.0
// Memory with machine code. It is writable while it is filled and executable afterwards, never
// both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cucore::cpu {

class CodeMemory {
 public:
  CodeMemory() = default;
  // Copies the code. Without permission for executable memory, the object stays empty.
  explicit CodeMemory(std::span<const uint8_t> code);
  CodeMemory(CodeMemory&& other) noexcept;
  CodeMemory& operator=(CodeMemory&& other) noexcept;
  ~CodeMemory();

  const uint8_t* data() const { return data_; }  // nullptr: empty

 private:
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace cucore::cpu
