// SPDX-License-Identifier: Apache-2.0
// The texts that kernels of a context have printed and the host has not yet written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace cucore::cpu {

class Output {
 public:
  enum class To : uint8_t { STDOUT, STDERR };

  Output();
  ~Output();
  Output(const Output&) = delete;

  // Drops the oldest texts if `capacity` bytes are exceeded. Returns false for a text that alone
  // exceeds it.
  bool append(To to, std::string_view text, uint64_t capacity);

  // Writes and flushes all texts, and waits for a thread that already writes them. Without texts it
  // costs one load.
  void flush() {
    if (has_text_.load(std::memory_order_acquire)) write();
  }
  static void flush_all();  // for every context

 private:
  // Consecutive texts, from begin_ on. sizes_ contains the length of each; its top bit is set for
  // stderr.
  struct Texts {
    std::string bytes;
    size_t begin = 0;
    std::deque<uint32_t> sizes;
    void drop_oldest();
  };
  void write();

  std::mutex writing_;  // keeps the texts in the order of printing
  std::mutex mutex_;    // guards the members below
  Texts texts_;
  std::atomic<bool> has_text_{false};
};

}  // namespace cucore::cpu
