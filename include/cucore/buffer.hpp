/// @file cucore/buffer.hpp
/// Memory: device, pinned and managed.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_BUFFER_HPP_INCLUDED
#define CUCORE_BUFFER_HPP_INCLUDED

#include <cstddef>
#include <memory>
#include <type_traits>

#include "pool.hpp"
#include "stream.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

class Buffer;

/// Rows and slices of bytes in a buffer or in memory of the program, and the corner of a box in
/// them. It keeps neither of the two.
struct Box : cucore_box {
  explicit Box(const Buffer& of, std::size_t first = 0) noexcept;
  /// Memory of the program. That of a source is not changed.
  explicit Box(const void* memory) noexcept : cucore_box CUCORE_BOX_INIT {
    host = const_cast<void*>(memory);
  }

  /// Sets the bytes from a row to the next, and the rows from a slice to the next; 0: no gaps.
  Box& shape(std::size_t bytes_per_row, std::size_t rows_per_slice = 0) noexcept {
    row_bytes = bytes_per_row;
    slice_rows = rows_per_slice;
    return *this;
  }
  /// Sets the corner of the box, with the first number in bytes.
  Box& at(std::size_t byte, std::size_t row = 0, std::size_t slice = 0) noexcept {
    x = byte;
    y = row;
    z = slice;
    return *this;
  }
};

/// The size of a box: bytes of a row, rows of a slice, and slices.
struct Extent {
  std::size_t width = 0, height = 1, depth = 1;
};

/// Device, pinned or managed memory. The last reference frees it after all work that uses it, and
/// no thread waits for that: cucore_buffer_release() states which work is recorded.
class Buffer : public Owner<Buffer, cucore_buffer> {
 public:
  Buffer() noexcept {}

  /// Allocates device memory in the order of the stream. Fails with OUT_OF_DEVICE_MEMORY.
  static Returned<Buffer> create(const Device& device, std::size_t size, const Stream& stream) {
    return make<Buffer>(cucore_buffer_create, device.get(), size, stream.get());
  }

  /// Allocates device memory from a pool, which the buffer holds.
  static Returned<Buffer> from_pool(const Pool& pool, std::size_t size, const Stream& stream) {
    return make<Buffer>(cucore_buffer_from_pool, pool.get(), size, stream.get());
  }

  /// Allocates pinned host memory, which the device reads and writes over the bus.
  static Returned<Buffer> create_pinned(const Device& device, std::size_t size) {
    return make<Buffer>(cucore_buffer_create_pinned, device.get(), size);
  }

  /// Allocates managed memory, which moves between host and device by itself. Fails with
  /// UNSUPPORTED if the device does not support it.
  static Returned<Buffer> create_managed(const Device& device, std::size_t size) {
    return make<Buffer>(cucore_buffer_create_managed, device.get(), size);
  }

  /// Wraps memory that somebody else owns. It must outlive the result and is never freed.
  static Returned<Buffer> from_native(const Device& device, Address address, std::size_t size) {
    return make<Buffer>(cucore_buffer_from_native, device.get(), address.value(), size);
  }

  /// Wraps memory of another owner. `owner` is dropped after all work that uses the buffer.
  static Returned<Buffer> from_owner(const Device& device, Address address, std::size_t size,
                                     std::shared_ptr<void> owner) {
    auto kept = std::make_unique<std::shared_ptr<void>>(std::move(owner));
    const auto drop = [](void* given) { delete static_cast<std::shared_ptr<void>*>(given); };
    auto buffer =
        make<Buffer>(cucore_buffer_from_owner, device.get(), address.value(), size,
                     static_cast<cucore_buffer_destroy_fn>(drop), static_cast<void*>(kept.get()));
    if (buffer) static_cast<void>(kept.release());
    return buffer;
  }

  /// Records that work on the stream uses the buffer: only for work that this library does not see.
  Returned<void> record_use(const Stream& stream) const {
    return call(cucore_buffer_record_use, get(), stream.get());
  }

  /// Moves the freeing of device memory to another stream of the same device.
  Returned<void> set_stream(const Stream& stream) const {
    return call(cucore_buffer_set_stream, get(), stream.get());
  }

  /// The pool of its memory; fails with INVALID_STATE if it has none.
  Returned<Pool> pool() const { return make<Pool>(cucore_buffer_pool, get()); }
  Returned<Device> device() const { return make<Device>(cucore_buffer_device, get()); }
  /// The address on the device.
  Address address() const noexcept { return Address(cucore_buffer_address(get())); }
  /// The address on the host of pinned and managed memory; null for device memory.
  void* host_pointer() const noexcept { return cucore_buffer_host_pointer(get()); }
  /// In bytes.
  std::size_t size() const noexcept { return cucore_buffer_size(get()); }
  /// The place of the memory. Queries the driver for borrowed memory.
  MemoryKind memory_kind() const noexcept {
    return static_cast<MemoryKind>(cucore_buffer_memory_kind(get()));
  }

  /// Pinned or managed memory as elements, without copying; empty for device memory. The buffer
  /// must outlive it.
  template <class T>
  Span<T> host_span() const noexcept {
    void* const host = host_pointer();
    return host ? Span<T>(static_cast<T*>(host), size() / sizeof(T)) : Span<T>();
  }

  /// Copies from host memory, in the order of the stream. Returns when the source may be reused.
  /// Fails with INVALID_ARGUMENT if the range is not inside the buffer.
  Returned<void> write(Bytes source, const Stream& stream, std::size_t offset = 0) const {
    return call(cucore_buffer_write, get(), offset, source.data(), source.size(), stream.get());
  }

  /// Copies to host memory, in the order of the stream. Returns when the destination is filled.
  Returned<void> read(MutableBytes destination, const Stream& stream,
                      std::size_t offset = 0) const {
    return call(cucore_buffer_read, get(), offset, destination.data(), destination.size(),
                stream.get());
  }

  /// Copies a range of `source` into this buffer, in the order of the stream; does not wait.
  Returned<void> copy(std::size_t offset, const Buffer& source, std::size_t source_offset,
                      std::size_t size, const Stream& stream) const {
    return call(cucore_buffer_copy, get(), offset, source.get(), source_offset, size, stream.get());
  }

  /// Copies all of `source` to the start of this buffer, in the order of the stream; does not wait.
  Returned<void> copy(const Buffer& source, const Stream& stream) const {
    return copy(0, source, 0, source.size(), stream);
  }

  /// Copies a box between buffers, or between a buffer and memory of the program, in the order of
  /// the stream. Waits only if one side is memory of the program.
  static Returned<void> copy_box(const Box& destination, const Box& source, const Extent& extent,
                                 const Stream& stream) {
    return call(cucore_buffer_copy_box, static_cast<const cucore_box*>(&destination),
                static_cast<const cucore_box*>(&source), extent.width, extent.height, extent.depth,
                stream.get());
  }

  /// Fills a range with a value of 1, 2, 4 or 8 bytes, in the order of the stream; does not wait.
  template <class T>
  Returned<void> fill(std::size_t offset, std::size_t size, const T& pattern,
                      const Stream& stream) const {
    static_assert(std::is_trivially_copyable_v<T> &&
                      (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8),
                  "a pattern is a plain value of 1, 2, 4 or 8 bytes");
    return call(cucore_buffer_fill, get(), offset, size,
                static_cast<const void*>(std::addressof(pattern)), sizeof(T), stream.get());
  }

  /// Fills the whole buffer.
  template <class T>
  Returned<void> fill(const T& pattern, const Stream& stream) const {
    return fill(0, size(), pattern, stream);
  }

  /// The address on the device as a pointer: `native<float*>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_buffer_native(get()));
  }
};

inline Box::Box(const Buffer& of, std::size_t first) noexcept : cucore_box CUCORE_BOX_INIT {
  buffer = of.get();
  offset = first;
}

template <class Word>
Returned<void> Stream::write_value(const Buffer& buffer, std::size_t offset, Word value) const {
  static_assert(std::is_unsigned_v<Word> && (sizeof(Word) == 4 || sizeof(Word) == 8));
  return call(cucore_stream_write_value, get(), buffer.get(), offset, std::uint64_t{value},
              sizeof(Word));
}

template <class Word>
Returned<void> Stream::wait_value(const Buffer& buffer, std::size_t offset, Word value,
                                  Comparison comparison) const {
  static_assert(std::is_unsigned_v<Word> && (sizeof(Word) == 4 || sizeof(Word) == 8));
  return call(cucore_stream_wait_value, get(), buffer.get(), offset, std::uint64_t{value},
              sizeof(Word), static_cast<cucore_comparison>(comparison));
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_BUFFER_HPP_INCLUDED
