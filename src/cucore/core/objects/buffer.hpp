// SPDX-License-Identifier: Apache-2.0
// Memory for kernels: from the stream-ordered pool, pinned, managed, or borrowed.
#pragma once

#include <memory>
#include <mutex>

#include "core/objects/allocation.hpp"

namespace cucore::core {

// The numbers of cucore_memory_kind.
enum class MemoryKind { UNKNOWN, DEVICE, PINNED, MANAGED };

class CapturedWork;

class Buffer final : public Object {
 public:
  enum class Kind { POOL, PINNED, MANAGED, BORROWED };

  static Ref<Buffer> create(const Device& device, size_t size, Ref<Stream> stream);
  static Ref<Buffer> from_pool(Ref<Pool> pool, size_t size, Ref<Stream> stream);
  static Ref<Buffer> create_pinned(const Device& device, size_t size);
  static Ref<Buffer> create_managed(const Device& device, size_t size);
  static Ref<Buffer> from_native(const Device& device, CUdeviceptr address, size_t size);
  // Memory of a node of a graph, which has no address yet: see GraphMemory.
  static Ref<Buffer> from_graph(Ref<GraphMemory> memory, Ref<const Stream> stream = nullptr,
                                uint64_t capture = 0);
  // The driver has added the node. Nobody else has the buffer or the memory yet.
  void set_graph_address(CUdeviceptr address) noexcept;
  // Null unless a node of a graph allocates the memory.
  Ref<GraphMemory> graph_memory() const;
  // The memory has no owner until set_owner(), which cannot fail.
  static Ref<Buffer> from_owner(const Device& device, CUdeviceptr address, size_t size);
  void set_owner(MemoryOwner owner) noexcept { allocation_->set_owner(owner); }

  // `allocation` is null for memory that has no owner here.
  Buffer(Ref<Context> context, Kind kind, CUdeviceptr address, void* host, size_t size,
         std::unique_ptr<Allocation> allocation)
      : context_(std::move(context)),
        kind_(kind),
        address_(address),
        host_(host),
        size_(size),
        allocation_(std::move(allocation)),
        stream_(allocation_ ? allocation_->stream() : nullptr) {}

  const Device& device() const { return context_->device(); }
  // Throws INVALID_STATE if its memory is of no pool.
  Ref<Pool> pool() const;
  const Ref<Context>& context() const { return context_; }
  Kind kind() const { return kind_; }
  // Queries the driver for borrowed memory.
  MemoryKind memory_kind() const;
  CUdeviceptr address() const { return address_; }
  // For the driver, which reads the address of an argument from there.
  const CUdeviceptr* address_place() const { return &address_; }
  void* host_pointer() const { return host_; }
  size_t size() const { return size_; }
  void require_usable() const { context_->require_alive("buffer"); }
  bool is_usable() const { return !context_->is_lost(); }

  // The memory is freed only after the work added to the stream so far. The user calls it after
  // adding work; see BufferUse for work that this library adds.
  void record_use(const Stream& stream) const;

  void set_stream(Ref<Stream> stream);
  void write(size_t offset, const void* source, size_t size, const Stream& stream);
  void read(size_t offset, void* destination, size_t size, const Stream& stream) const;
  void copy(size_t offset, const Buffer& source, size_t source_offset, size_t size,
            const Stream& stream);
  void fill(size_t offset, size_t size, const void* pattern, size_t pattern_size,
            const Stream& stream);

  // Lets the graph keep the buffer if the stream is captured, as hold_if_captured(). Memory of the
  // capture itself needs no keeper.
  void hold_in_capture(const Stream& stream) const {
    if (stream.may_be_captured()) [[unlikely]]
      hold(stream);
  }
  // The same for one of several objects of the work.
  void hold_in(CapturedWork& work) const;

  // Throw as copy() and fill() do for the same arguments.
  void check_copy(size_t offset, const Buffer& source, size_t source_offset, size_t size) const;
  void check_fill(size_t offset, size_t size, size_t pattern_size) const;

 private:
  ~Buffer() override;
  void require_range(size_t offset, size_t size, const char* verb) const;
  bool is_own(const Stream& stream) const;
  void hold(const Stream& stream) const;
  bool write_in_capture(size_t offset, const void* source, size_t size, const Stream& stream);
  static Ref<Buffer> create_in_capture(Pool* pool, size_t size, Ref<Stream> stream,
                                       uint64_t capture);

  const Ref<Context> context_;
  const Kind kind_;
  CUdeviceptr address_;
  void* const host_;
  const size_t size_;
  std::unique_ptr<Allocation> allocation_;
  mutable std::mutex mutex_;  // guards the allocation's stream
  // The allocation's stream, for one comparison before each use.
  std::atomic<const Stream*> stream_;
  friend class BufferUse;
};

// A copy from pageable memory returns when the driver has copied the bytes. A copy from registered
// memory returns at once, and the bytes are still in use.
bool is_registered_host(const void* host);
// Whether the stream is captured, so that work on it runs at each launch of a graph.
bool makes_nodes(const Stream& stream);

// A use of a buffer by work that is added to a stream while this lives. Work on the buffer's own
// stream costs one comparison.
class BufferUse {
 public:
  BufferUse() = default;
  BufferUse(const Buffer& buffer, const Stream& stream) {
    if (buffer.stream_.load(std::memory_order_acquire) != &stream) [[unlikely]]
      begin(buffer, stream);
  }
  ~BufferUse() {
    if (buffer_) [[unlikely]]
      end();
  }
  BufferUse(const BufferUse&) = delete;
  BufferUse& operator=(const BufferUse&) = delete;

 private:
  void begin(const Buffer& buffer, const Stream& stream);
  void end() noexcept;

  // Null if no action is needed after the work was added.
  const Buffer* buffer_ = nullptr;
  const Stream* stream_ = nullptr;
  uint64_t stream_id_ = 0;
};

}  // namespace cucore::core
