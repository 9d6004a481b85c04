// SPDX-License-Identifier: Apache-2.0
// The output of kernels on its way to stdout.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "cpu/exec/output.hpp"

namespace cucore::cpu::test {
namespace {

// stdout is a pipe, which accepts no more than its capacity until it is read.
class StdoutIsAPipe {
 public:
  StdoutIsAPipe() {
    std::fflush(stdout);
    before_ = dup(STDOUT_FILENO);
    if (pipe(ends_) != 0) std::abort();
    dup2(ends_[1], STDOUT_FILENO);
    close(ends_[1]);
  }
  ~StdoutIsAPipe() {
    dup2(before_, STDOUT_FILENO);
    close(before_);
    close(ends_[0]);
  }
  size_t capacity() const { return static_cast<size_t>(fcntl(ends_[0], F_GETPIPE_SZ)); }
  std::string read_all(size_t size) const {
    std::string text(size, '\0');
    for (size_t at = 0; at < size;) {
      const ssize_t got = read(ends_[0], text.data() + at, size - at);
      if (got <= 0) return text.substr(0, at);
      at += static_cast<size_t>(got);
    }
    return text;
  }

 private:
  int before_, ends_[2];
};

// Output whose writer waits on a full pipe, which the test reads at the end.
class OutputInAPipe : public testing::Test {
 protected:
  OutputInAPipe() : text_(pipe_.emplace().capacity() * 2, 'x') {
    output_.append(Output::To::STDOUT, text_, text_.size());
    writer_ = std::thread([this] { output_.flush(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  // Returns the output after the text. Before that, a failed check would print into the pipe.
  std::string finish(size_t size) {
    const std::string all = pipe_->read_all(text_.size());
    writer_.join();
    output_.flush();
    const std::string rest = pipe_->read_all(size);
    pipe_.reset();
    EXPECT_EQ(all, text_);
    return rest;
  }

  std::optional<StdoutIsAPipe> pipe_;
  const std::string text_;
  Output output_;
  std::thread writer_;
};

TEST_F(OutputInAPipe, AFlushWaitsForTheThreadThatWrites) {
  std::atomic<bool> is_done{false};
  std::thread waiter([&] {
    output_.flush();
    is_done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const bool was_done = is_done;
  EXPECT_EQ(finish(0), "");
  waiter.join();
  EXPECT_FALSE(was_done);
}

TEST_F(OutputInAPipe, TextThatComesWhileAnotherIsWrittenIsFlushedNext) {
  const bool fits = output_.append(Output::To::STDOUT, "next", text_.size());
  EXPECT_EQ(finish(4), "next");
  EXPECT_TRUE(fits);
}

}  // namespace
}  // namespace cucore::cpu::test
