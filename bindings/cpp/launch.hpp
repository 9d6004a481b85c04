// SPDX-License-Identifier: Apache-2.0
// A launch as one block of bytes, which Java and C# pass in a single argument.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cucore::bind {

// The beginning of the block. A LaunchTail follows if argument_count has HAS_TAIL. For each
// argument follow its size as uint32_t, an ArgumentKind as uint32_t, and the value, padded to a
// multiple of 8.
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

constexpr uint32_t HAS_TAIL = uint32_t{1} << 31;

// Options that few launches have. The attributes follow, each as a cucore_launch_attribute.
struct LaunchTail {
  uint32_t preferred_cluster[3];
  int32_t cluster_scheduling;
  int32_t shared_carveout;
  int32_t memory_domain;
  int32_t memory_domain_map;
  int32_t device_updatable;
  int32_t nvlink_scheduling;
  int32_t programmatic_at_start;
  float hit_ratio;  // of the window
  int32_t hit, miss;
  uint32_t attribute_count;
  uint64_t programmatic_event;  // as a buffer in the block; 0: none
  uint64_t completion_event;
  uint64_t buffer;  // of the window; 0: no window
  uint64_t offset, size;
};
static_assert(sizeof(LaunchTail) == 96);

enum class ArgumentKind : uint32_t {
  VALUE = 0,
  BUFFER = 1,  // 8 bytes: the number of a cucore_buffer, by default its handle
};

// Maps the numbers of objects in the block to their handles, for languages whose numbers differ.
class ObjectNumbers {
 public:
  virtual void* handle(uint64_t number) = 0;
  // Called once all handles are known, before they are used.
  virtual void begin() = 0;

 protected:
  ~ObjectNumbers() = default;
};

// The options at the beginning of a block.
class LaunchOptions {
 public:
  // Refuses a block that is too small. `numbers` is null if the block contains handles.
  LaunchOptions(const void* data, size_t size, ObjectNumbers* numbers);
  LaunchOptions(const LaunchOptions&) = delete;
  LaunchOptions& operator=(const LaunchOptions&) = delete;

  const cucore_launch_options& get() const { return options_; }
  uint32_t argument_count() const { return argument_count_; }
  size_t size() const { return size_; }  // in the block

 private:
  void read_tail(const char* data, size_t size, ObjectNumbers* numbers);

  cucore_launch_options options_ = CUCORE_LAUNCH_OPTIONS_INIT;
  uint32_t argument_count_ = 0;
  size_t size_ = sizeof(LaunchHead);
  cucore_access_window window_{};
  std::vector<cucore_launch_attribute> attributes_;
};

// The content of a block. The arguments point into the block.
class Launch {
 public:
  // `numbers` is null if the block contains handles.
  Launch(const void* data, size_t size, ObjectNumbers* numbers);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  const cucore_launch_options& options() const { return options_.get(); }
  const cucore_argument* arguments() const { return many_.empty() ? few_ : many_.data(); }
  size_t count() const { return count_; }

 private:
  static constexpr size_t FEW = 32;  // arguments that need no allocation

  LaunchOptions options_;
  size_t count_;
  cucore_argument few_[FEW];
  std::vector<cucore_argument> many_;
};

void launch(const cucore_kernel* kernel, const cucore_stream* stream, const void* data, size_t size,
            ObjectNumbers* numbers = nullptr);
cucore_prepared_launch* prepare(const cucore_kernel* kernel, const cucore_stream* stream,
                                const void* data, size_t size, ObjectNumbers* numbers = nullptr);
// The parameter block follows the options.
void launch_packed(const cucore_kernel* kernel, const cucore_stream* stream, const void* data,
                   size_t size, ObjectNumbers* numbers = nullptr);
// The block contains one argument.
void update(cucore_prepared_launch* prepared, size_t index, const void* data, size_t size,
            ObjectNumbers* numbers = nullptr);

}  // namespace cucore::bind
