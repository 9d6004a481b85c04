// Memory that kernels use: from the stream-ordered pool, pinned, managed, or somebody else's.
#pragma once

#include <mutex>

#include "core/stream.hpp"

namespace cucore::core {

class Buffer final : public Object {
 public:
  enum class Kind { POOL, PINNED, MANAGED, BORROWED };

  static Ref<Buffer> create(const Device& device, size_t size, Ref<Stream> stream);
  static Ref<Buffer> create_pinned(const Device& device, size_t size);
  static Ref<Buffer> create_managed(const Device& device, size_t size);
  static Ref<Buffer> from_native(const Device& device, CUdeviceptr address, size_t size);

  Buffer(Ref<Context> context, Kind kind, CUdeviceptr address, void* host, size_t size,
         Ref<Stream> stream)
      : context_(std::move(context)),
        kind_(kind),
        address_(address),
        host_(host),
        size_(size),
        stream_(std::move(stream)) {}

  const Device& device() const { return context_->device(); }
  Kind kind() const { return kind_; }
  CUdeviceptr address() const { return address_; }
  void* host_pointer() const { return host_; }
  size_t size() const { return size_; }

  void set_stream(Ref<Stream> stream);
  void write(size_t offset, const void* source, size_t size, const Stream& stream);
  void read(size_t offset, void* destination, size_t size, const Stream& stream) const;
  void copy(size_t offset, const Buffer& source, size_t source_offset, size_t size,
            const Stream& stream);
  void fill(size_t offset, size_t size, const void* pattern, size_t pattern_size,
            const Stream& stream);

 private:
  ~Buffer() override;
  void require_range(size_t offset, size_t size, const char* verb) const;
  void free_in_stream_order() noexcept;
  void require_usable() const { context_->require_alive("buffer"); }

  const Ref<Context> context_;
  const Kind kind_;
  const CUdeviceptr address_;
  void* const host_;
  const size_t size_;
  std::mutex mutex_;  // guards stream_
  Ref<Stream> stream_;
};

}  // namespace cucore::core
