// SPDX-License-Identifier: Apache-2.0
// Reads JIT options and writes their logs.
#include "cpu/driver/jit_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/driver/failure.hpp"

namespace cucore::cpu {
namespace {

// The number of sm_90, sm_90a or sm_100f. @throws Failure INVALID_VALUE
int target_of(unsigned target) {
  const unsigned number = target % CU_COMPUTE_ACCELERATED_TARGET_BASE;
  require(target < CU_COMPUTE_FAMILY_TARGET_BASE + CU_COMPUTE_ACCELERATED_TARGET_BASE &&
          number > 0 && number < 1000);
  return static_cast<int>(number);
}

// Returns the most registers per thread with which such a block starts. A multiprocessor has 65536,
// and a warp takes multiples of 8 per thread.
unsigned registers_for_block(unsigned threads) {
  constexpr unsigned REGISTERS = 65536, MOST_THREADS = 1024, MOST_REGISTERS = 255, WARP = 32;
  const unsigned warps = (std::min(threads, MOST_THREADS) + WARP - 1) / WARP;
  return std::min(MOST_REGISTERS, REGISTERS / (warps * WARP) / 8 * 8);
}

}  // namespace

JitOptions::JitOptions(unsigned count, CUjit_option* options, void** values) : values_(values) {
  require(count == 0 || (options && values));
  for (unsigned i = 0; i < count; ++i) {
    auto number = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER:
        info_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        error_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info_.size = number;
        info_.size_index = static_cast<int>(i);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        error_.size = number;
        error_.size_index = static_cast<int>(i);
        break;
      case CU_JIT_CACHE_MODE:
        require(number <= CU_JIT_CACHE_OPTION_CA);
        break;
      case CU_JIT_MAX_REGISTERS:
        require(number > 0);
        bound_registers(number);
        break;
      case CU_JIT_THREADS_PER_BLOCK:
        if (number > 0) bound_registers(registers_for_block(number));
        break;
      case CU_JIT_WALL_TIME:
        wall_time_index_ = static_cast<int>(i);
        break;
      case CU_JIT_TARGET:
        target_ = target_of(number);
        break;
      default:
        require(options[i] >= 0 && options[i] < CU_JIT_NUM_OPTIONS);
    }
  }
}

void JitOptions::bound_registers(unsigned most) {
  max_registers_ = max_registers_ ? std::min(max_registers_, most) : most;
}

// The value is a float in the first bytes of the option's own value.
void JitOptions::write_wall_time(Clock::duration time) const {
  if (wall_time_index_ < 0) return;
  const float milliseconds = std::chrono::duration<float, std::milli>(time).count();
  std::memcpy(static_cast<void*>(&values_[wall_time_index_]), &milliseconds, sizeof milliseconds);
}

void JitOptions::write_link_log(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  error_.write(text, values_, false);
}

void JitOptions::Log::write(const std::string& text, void** values, bool counts_end) const {
  size_t written = 0;
  if (buffer && size) {
    written = std::min<size_t>(text.size(), size - 1);
    std::memcpy(buffer, text.data(), written);
    buffer[written] = 0;
  }
  if (size_index < 0) return;
  // CUDA returns "amount of log buffer filled", an unsigned int, in the option's own value.
  auto filled = static_cast<unsigned>(written ? written + counts_end : 0);
  std::memcpy(static_cast<void*>(&values[size_index]), &filled, sizeof filled);
}

}  // namespace cucore::cpu
