// SPDX-License-Identifier: Apache-2.0
// A context computes arrays. It has a device, a stream, a graph of pending values, and kernels.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "array/ir/build.hpp"
#include "array/ir/graph.hpp"
#include "array/plan/cache.hpp"
#include "array/run/index_checks.hpp"
#include "array/run/kernels.hpp"
#include "array/run/native.hpp"
#include "array/run/returns.hpp"
#include "array/run/rounds.hpp"

namespace cucore::array {

enum class Policy : uint8_t { LAZY = 0, EAGER = 1 };

struct Settings {
  NativeDevice device;
  NativeStream stream;  // empty: a stream of its own
  NativePool pool;      // empty: chosen by the context; a device without pools has none
  NativeCache cache;    // empty: no kernels on disk
  Policy policy = Policy::LAZY;
  Math math = Math::ACCURATE;
  Defaults defaults = {};
  uint64_t max_bytes = 0;           // 0: no limit
  uint64_t max_retained_bytes = 0;  // 0: a quarter of the device
  uint32_t max_pending = 2048;
  uint32_t max_depth = 64;
};

// Why values were computed.
enum class Reason : uint8_t { READ, CALL, DEPTH, COUNT, RETAINED, EXPORT, WRITE, NUMBER };

struct Statistics {
  uint64_t evaluations = 0;
  uint64_t by[size_t(Reason::NUMBER)] = {};
  uint64_t kernels_launched = 0, recomputed = 0, copies_for_readers = 0;
  uint64_t bytes_read = 0, bytes_written = 0, temporary_bytes = 0;
};

// The memory of a context in bytes. Storages may outlive the graph, so they share it.
struct MemoryCounts {
  std::atomic<uint64_t> live{0}, peak{0};
  std::atomic<uint64_t> reserved{0};  // live bytes, and those that threads are about to allocate

  // Returns false if `most` would be exceeded. Threads that reserve together do not exceed it.
  bool reserve(uint64_t bytes, uint64_t most) noexcept;
};

// Bytes that are reserved while it exists.
class CountedBytes {
 public:
  // Of bytes that the caller has reserved.
  CountedBytes(std::shared_ptr<MemoryCounts> counts, uint64_t bytes) noexcept
      : counts_(std::move(counts)), bytes_(bytes) {}
  CountedBytes(CountedBytes&& other) noexcept = default;
  CountedBytes& operator=(CountedBytes&&) = delete;
  ~CountedBytes();
  void set_live() noexcept;

 private:
  std::shared_ptr<MemoryCounts> counts_;  // null: moved
  const uint64_t bytes_;
  bool is_live_ = false;
};

// The kernels of an evaluation that would begin now.
struct Preview {
  struct Code {
    Addresses addresses;
    Variant variant;
    bool is_compiled = false;
    int32_t registers = 0;  // of a thread; 0: unknown
  };
  const Plan& plan;
  std::span<Value* const> results;
  std::vector<Code> codes;  // by step
};

class Context : public Object {
 public:
  explicit Context(Settings settings);
  ~Context() override;

  // Everything about values happens under this lock. Never held while a compiler runs.
  class Lock {
   public:
    explicit Lock(Context& context) : lock_(context.mutex_), context_(context) {
      context.drop_released();
    }
    Graph& graph() const noexcept { return context_.graph_; }

   private:
    std::unique_lock<std::mutex> lock_;
    Context& context_;
  };

  const Settings& settings() const noexcept { return settings_; }

  // Queues the kernels of these values. The caller holds no lock, but references to the cells.
  void evaluate(std::span<const Ref<Cell>> cells, Reason reason);
  void evaluate_all(Reason reason);
  // Waits for the stream. Throws INDEX if a kernel met an index that is out of range, once.
  void synchronize();

  // Drops plans and memory that later evaluations would use. Waits for the stream.
  void trim(uint64_t keep_bytes);
  // Of the pool; 0 if the device has none.
  uint64_t reserved_bytes() const noexcept;

  // Calls `visit` with the context locked.
  void preview(std::span<const Ref<Cell>> cells, const std::function<void(const Preview&)>& visit);
  const Target& target() const noexcept { return kernels_.target(); }
  std::string ptx(const Code& code) const { return kernels_.ptx(code); }

  // Why an operation that was just recorded must be computed at once.
  enum class Excess : uint8_t { NOTHING, PINNED, EAGER, DEEP, MANY, LARGE };
  Excess excess(const Cell& cell, const Lock& lock) noexcept;
  void after_recording(const Ref<Cell>& cell, Excess excess);
  void after_recording(const Ref<Cell>& cell);

  // The bytes of the array's elements in C order. Throws INDEX if they were computed with an index
  // that is out of range, each time. Without elements, waits only for kernels that may have failed.
  void read(const Array& array, std::span<std::byte> destination);
  // A new array of elements in C order.
  Array from_host(Dtype dtype, const Dims& shape, std::span<const std::byte> source);
  Ref<Storage> allocate(int64_t bytes);

  // ---- memory that others see

  // An array over memory of others, which `owner` takes back.
  Array shared(Dtype dtype, int64_t count, View view, NativeBuffer buffer, uint64_t offset,
               std::shared_ptr<void> owner);
  struct Shared {
    NativeBuffer buffer;
    uint64_t offset;              // of the first element
    std::shared_ptr<void> owner;  // of memory of others, which those who use the buffer keep
  };
  // The memory of the array after all that was recorded. Later writes go into it at once.
  Shared pinned(const Array& array);
  // Copies the elements in C order, without a wait.
  void read_into(const Array& array, cucore_buffer* destination, uint64_t offset);
  // A copy of an array of another context.
  Array from_context(Context& source, const Array& array);
  // Computes what reads the memory that a write is about to change, if others see it.
  void before_write(const Ref<Cell>& cell);
  const std::shared_ptr<Returns>& returns() const noexcept { return returns_; }

  // Takes a cell back without waiting, from any thread.
  void release(Ref<Cell> cell) noexcept;

  Statistics statistics();
  size_t pending();
  uint64_t retained_bytes();
  std::atomic<uint64_t>& arrays() noexcept { return arrays_; }  // that exist
  uint64_t live_bytes() const noexcept { return memory_->live; }
  uint64_t peak_bytes() const noexcept { return memory_->peak; }
  uint64_t planned();  // evaluations whose plan was new
  size_t plans_cached();
  KernelCounts kernel_counts() const { return kernels_.counts(); }

 private:
  friend class DeviceMachine;
  struct Missing {
    std::string key;
    Code code;
  };
  void drop_released() noexcept;
  // Throws INVALID_STATE if the stream is captured: the work would run with the graph, and never or
  // more than once.
  void require_no_capture(const char* what) const;
  // The same as allocate(), also with memory that other threads have released.
  Ref<Storage> allocate_after_releases(int64_t bytes);
  NativeBuffer new_buffer(const char* attempt, uint64_t size) const;
  CountedBytes counted(uint64_t bytes, uint64_t most = UINT64_MAX) const;
  void unshare(const Array& array);
  void evaluate_readers(const Ref<Cell>& cell, Reason reason);
  using Evaluation = std::scoped_lock<std::mutex>;  // of evaluation_
  void evaluate(std::span<const Ref<Cell>> cells, Reason reason, const Evaluation& one);
  void evaluate_each(std::span<const Ref<Cell>> cells, Reason reason, const Evaluation& one);
  // The array, or a copy in C order if its elements are not consecutive; evaluated.
  Array consecutive(const Array& array);
  // The memory of the first element.
  std::pair<NativeBuffer, uint64_t> memory_of(const Array& array);
  std::pair<NativeBuffer, uint64_t> memory_of(const Array& array, const Lock& lock);
  Shared pinned(const Array& array, const Lock& lock);
  Ref<Storage> on_host(const Value& value);
  // Launches all kernels, or returns those that must be compiled first.
  std::vector<Missing> launch(std::span<const Ref<Cell>> cells);
  std::vector<Missing> missing_of(const Plan& plan);
  void run(std::span<const Ref<Cell>> cells);
  uint64_t counters(int64_t count);
  IndexChecks::Launch new_checks(const Kernel& kernel);
  uint64_t latest_launch();
  // Throws INDEX if the array was computed with an index that is out of range. The launches up to
  // this number have ended.
  void check_indices(const Array& array, uint64_t launches);
  // Waits for the launches that could have computed it so.
  void wait_for_indices(const Array& array);
  void check(const Array& array);

  Settings settings_;
  const std::shared_ptr<MemoryCounts> memory_;
  const std::shared_ptr<Returns> returns_;
  Kernels kernels_;
  std::atomic<uint64_t> arrays_{0};
  std::atomic<Cell*> released_{nullptr};
  std::mutex mutex_;
  std::mutex evaluation_;  // one thread evaluates at a time
  Graph graph_;
  PlanCache plans_;
  Rounds rounds_;
  Statistics statistics_;
  NativeBuffer counters_;  // zeros, between kernels
  int64_t counter_capacity_ = 0;
  IndexChecks checks_;
};

// An array or cells of the library's own, which end under the lock, also if a call throws.
struct HeldArray {
  explicit HeldArray(Context& of, Array held = {}) : context(of), array(std::move(held)) {}
  HeldArray(const HeldArray&) = delete;
  ~HeldArray() {
    const Context::Lock lock(context);
    array = {};
  }

  Context& context;
  Array array;
};
struct HeldCells {
  Context& context;
  std::vector<Ref<Cell>> cells = {};
  ~HeldCells() {
    const Context::Lock lock(context);
    cells.clear();
  }
};

}  // namespace cucore::array
