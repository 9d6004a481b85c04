// SPDX-License-Identifier: Apache-2.0
// What kernels of a context have printed and the host has not written yet.
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

  // The oldest texts go where `capacity` bytes are exceeded. False for a text that alone exceeds
  // it.
  bool append(To to, std::string_view text, uint64_t capacity);

  // Writes and flushes what is held, and waits for a thread that writes it already. One load where
  // nothing is held.
  void flush() {
    if (has_text_.load(std::memory_order_acquire)) write();
  }
  static void flush_all();  // of every context

 private:
  // Texts one behind another, from begin_ on; sizes_ has the length of each, and its top bit is set
  // for those that go to stderr.
  struct Texts {
    std::string bytes;
    size_t begin = 0;
    std::deque<uint32_t> sizes;
    void drop_oldest();
  };
  void write();

  std::mutex writing_;  // texts are written in the order of their printing
  std::mutex mutex_;    // guards what follows
  Texts texts_;
  std::atomic<bool> has_text_{false};
};

}  // namespace cucore::cpu
