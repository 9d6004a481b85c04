// SPDX-License-Identifier: Apache-2.0
#include "memory_reserve.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

namespace cucore::cli {
namespace {

constexpr std::size_t PARTS = 4;
constexpr std::size_t PART_SIZE = 4 << 20;  // address space only; it is never written

std::array<std::atomic<char*>, PARTS> reserve;  // NOLINT
std::atomic<bool> is_in_use{false};             // NOLINT

void release_part() {
  for (std::atomic<char*>& part : reserve)
    if (char* memory = part.exchange(nullptr)) {
      is_in_use = true;
      delete[] memory;
      return;
    }
  std::set_new_handler(nullptr);
  throw std::bad_alloc();
}

}  // namespace

void prepare_memory() {
  for (std::atomic<char*>& part : reserve) part = new (std::nothrow) char[PART_SIZE];
  std::set_new_handler(release_part);
}

void require_memory() {
  if (is_in_use) throw std::bad_alloc();
}

}  // namespace cucore::cli
