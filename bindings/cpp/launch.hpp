// SPDX-License-Identifier: Apache-2.0
// A launch as one block of bytes, which Java and C# pass in a single argument.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cucore::bind {

// The beginning of the block. For each argument follow its size as uint32_t, an ArgumentKind as
// uint32_t, and the value, padded to a multiple of 8.
struct LaunchHead {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t cluster[3];
  uint32_t dynamic_shared;
  int32_t cooperative;
  int32_t programmatic_serialization;
  int32_t priority;
  uint32_t argument_count;
};
static_assert(sizeof(LaunchHead) == 56);

enum class ArgumentKind : uint32_t {
  VALUE = 0,
  BUFFER = 1,  // 8 bytes: the number of a cucore_buffer, by default its handle
};

// Maps the numbers of buffers in the block to their handles, for languages whose numbers differ.
class BufferNumbers {
 public:
  virtual const cucore_buffer* handle(uint64_t number) = 0;
  // Called once all handles are known, before they are used.
  virtual void begin() = 0;

 protected:
  ~BufferNumbers() = default;
};

// Refuses a block that is too small.
LaunchHead launch_head(const void* data, size_t size);
cucore_launch_options launch_options(const LaunchHead& head);

// The content of a block. The arguments point into the block.
class Launch {
 public:
  // `numbers` is null if the block contains handles.
  Launch(const void* data, size_t size, BufferNumbers* numbers);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  const cucore_launch_options& options() const { return options_; }
  const cucore_argument* arguments() const { return many_.empty() ? few_ : many_.data(); }
  size_t count() const { return count_; }

 private:
  static constexpr size_t FEW = 32;  // arguments that need no allocation

  cucore_launch_options options_;
  size_t count_;
  cucore_argument few_[FEW];
  std::vector<cucore_argument> many_;
};

void launch(const cucore_kernel* kernel, const cucore_stream* stream, const void* data, size_t size,
            BufferNumbers* numbers = nullptr);
cucore_prepared_launch* prepare(const cucore_kernel* kernel, const cucore_stream* stream,
                                const void* data, size_t size, BufferNumbers* numbers = nullptr);
// The block contains one argument.
void update(cucore_prepared_launch* prepared, size_t index, const void* data, size_t size,
            BufferNumbers* numbers = nullptr);

}  // namespace cucore::bind
