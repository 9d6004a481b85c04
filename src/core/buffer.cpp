#include "core/buffer.hpp"

#include <cstring>

#include "support/text.hpp"

namespace cucore::core {

using driver::check;
using driver::ContextGuard;
using driver::cuda;

namespace {

// What an allocation that failed should have said by itself: how much there was.
std::string describe(const Device& device, size_t size, const char* kind) {
  std::string message = text("allocate ", size, " bytes of ", kind, " memory on ", device.label());
  size_t free_bytes = 0, total_bytes = 0;
  if (cuda().cuMemGetInfo(&free_bytes, &total_bytes) == CUDA_SUCCESS)
    message += text(" (", free_bytes, " of ", total_bytes, " bytes are free)");
  return message;
}

// Gives an address back if the object that should own it cannot be made.
template <class Free>
Ref<Buffer> adopt(Ref<Context> context, Buffer::Kind kind, CUdeviceptr address, void* host,
                  size_t size, Ref<Stream> stream, Free&& free) {
  try {
    return make<Buffer>(std::move(context), kind, address, host, size, std::move(stream));
  } catch (...) {
    driver::check_release(free(), "free memory");
    throw;
  }
}

}  // namespace

Ref<Buffer> Buffer::create(const Device& device, size_t size, Ref<Stream> stream) {
  stream->require_on(device, "buffer");
  Ref<Context> context = stream->context();
  if (size == 0)
    return make<Buffer>(std::move(context), Kind::POOL, 0, nullptr, 0, std::move(stream));
  const ContextGuard guard(context->native());
  const auto& cu = cuda();
  const bool pools = device.limits().pools;
  const CUstream native = stream->native();
  CUdeviceptr address = 0;
  check(pools ? cu.cuMemAllocAsync(&address, size, native) : cu.cuMemAlloc(&address, size),
        [&] { return describe(device, size, "device"); });
  return adopt(std::move(context), Kind::POOL, address, nullptr, size, std::move(stream),
               [&] { return pools ? cu.cuMemFreeAsync(address, native) : cu.cuMemFree(address); });
}

Ref<Buffer> Buffer::create_pinned(const Device& device, size_t size) {
  Ref<Context> context = device.context();
  if (size == 0) return make<Buffer>(std::move(context), Kind::PINNED, 0, nullptr, 0, nullptr);
  const ContextGuard guard(context->native());
  const auto& cu = cuda();
  void* host = nullptr;
  check(cu.cuMemHostAlloc(&host, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
        [&] { return text("allocate ", size, " bytes of pinned memory for ", device.label()); });
  CUdeviceptr address = 0;
  const CUresult mapped = cu.cuMemHostGetDevicePointer(&address, host, 0);
  if (mapped != CUDA_SUCCESS) driver::check_release(cu.cuMemFreeHost(host), "free pinned memory");
  check(mapped, "ask for the device address of pinned memory");
  return adopt(std::move(context), Kind::PINNED, address, host, size, nullptr,
               [&] { return cu.cuMemFreeHost(host); });
}

Ref<Buffer> Buffer::create_managed(const Device& device, size_t size) {
  if (!device.limits().managed)
    throw Error(Status::UNSUPPORTED,
                device.label() + " has no managed memory; use device or pinned memory");
  Ref<Context> context = device.context();
  if (size == 0) return make<Buffer>(std::move(context), Kind::MANAGED, 0, nullptr, 0, nullptr);
  const ContextGuard guard(context->native());
  const auto& cu = cuda();
  CUdeviceptr address = 0;
  check(cu.cuMemAllocManaged(&address, size, CU_MEM_ATTACH_GLOBAL),
        [&] { return describe(device, size, "managed"); });
  return adopt(std::move(context), Kind::MANAGED, address, reinterpret_cast<void*>(address), size,
               nullptr, [&] { return cu.cuMemFree(address); });
}

Ref<Buffer> Buffer::from_native(const Device& device, CUdeviceptr address, size_t size) {
  if (address == 0 && size != 0)
    throw Error(Status::INVALID_ARGUMENT, text("address is 0 but size is ", size));
  if (size != 0 && address + (size - 1) < address)
    throw Error(Status::INVALID_ARGUMENT,
                "address and size together pass the end of the address space");
  return make<Buffer>(device.context(), Kind::BORROWED, address, nullptr, size, nullptr);
}

Buffer::~Buffer() {
  if (kind_ == Kind::BORROWED || size_ == 0 || context_->is_gone()) return;
  const auto* cu = driver::cuda_if_available();
  // If the context cannot be made current the driver is asked all the same: it may not need it.
  const ContextGuard guard(context_->native(), std::nothrow);
  if (!cu) return;
  switch (kind_) {
    case Kind::POOL:
      free_in_stream_order();
      break;
    case Kind::PINNED:
      driver::check_release(cu->cuMemFreeHost(host_), "free pinned memory");
      break;
    default:
      driver::check_release(cu->cuMemFree(address_), "free managed memory");
  }
}

void Buffer::free_in_stream_order() noexcept {
  const auto& cu = *driver::cuda_if_available();
  // The last reference may go in any thread, whose own default stream is not the one meant; the
  // legacy one is ordered after them all.
  const bool per_thread = stream_->kind() == Stream::Kind::PER_THREAD;
  const CUstream native = per_thread ? CU_STREAM_LEGACY : stream_->native();
  if (device().limits().pools)
    return driver::check_release(cu.cuMemFreeAsync(address_, native), "free device memory");
  driver::check_release(cu.cuStreamSynchronize(native), "wait for a buffer's stream");
  driver::check_release(cu.cuMemFree(address_), "free device memory");
}

void Buffer::set_stream(Ref<Stream> stream) {
  require_usable();
  if (kind_ != Kind::POOL)
    throw Error(Status::INVALID_STATE,
                "only device memory made by cucore_buffer_create() is freed in a stream's order");
  stream->require_on(device(), "buffer");
  std::lock_guard lock(mutex_);
  std::swap(stream_, stream);
}

void Buffer::require_range(size_t offset, size_t size, const char* verb) const {
  require_usable();
  if (offset > size_ || size > size_ - offset)
    throw Error(Status::INVALID_ARGUMENT, text("cannot ", verb, " ", size, " bytes at offset ",
                                               offset, " of a buffer of ", size_, " bytes"));
}

namespace {

// Copies from pageable memory return once the driver has its own copy; from memory that the driver
// knows they return at once, and the bytes are still needed.
bool is_known_to_driver(const void* host) {
  unsigned type = 0;
  const CUresult result = cuda().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                       reinterpret_cast<CUdeviceptr>(host));
  // Pageable memory is an invalid value; after any other failure the worse is assumed.
  return result == CUDA_SUCCESS ? type != 0 : result != CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

void Buffer::write(size_t offset, const void* source, size_t size, const Stream& stream) {
  require_range(offset, size, "write");
  stream.require_on(device(), "buffer");
  if (size == 0) return;
  const ContextGuard guard(context_->native());
  check(cuda().cuMemcpyHtoDAsync(address_ + offset, source, size, stream.native()),
        [&] { return text("write ", size, " bytes to a buffer on ", device().label()); });
  if (is_known_to_driver(source)) stream.synchronize();
}

void Buffer::read(size_t offset, void* destination, size_t size, const Stream& stream) const {
  require_range(offset, size, "read");
  stream.require_on(device(), "buffer");
  if (size == 0) return;
  const ContextGuard guard(context_->native());
  check(cuda().cuMemcpyDtoHAsync(destination, address_ + offset, size, stream.native()),
        [&] { return text("read ", size, " bytes from a buffer on ", device().label()); });
  stream.synchronize();
}

void Buffer::copy(size_t offset, const Buffer& source, size_t source_offset, size_t size,
                  const Stream& stream) {
  require_range(offset, size, "copy to");
  source.require_range(source_offset, size, "copy from");
  stream.require_usable();
  if (&stream.device() != &device() && &stream.device() != &source.device())
    stream.require_on(device(), "destination");
  if (size == 0) return;
  const CUdeviceptr to = address_ + offset, from = source.address_ + source_offset;
  if (to < from + size && from < to + size)
    throw Error(Status::INVALID_ARGUMENT,
                "source and destination of the copy overlap; copy through a third buffer");
  const ContextGuard guard(stream.context()->native());
  // Unified addresses tell the driver which devices they belong to.
  check(cuda().cuMemcpyAsync(to, from, size, stream.native()), [&] {
    return text("copy ", size, " bytes from ", source.device().label(), " to ", device().label());
  });
}

void Buffer::fill(size_t offset, size_t size, const void* pattern, size_t pattern_size,
                  const Stream& stream) {
  require_range(offset, size, "fill");
  stream.require_on(device(), "buffer");
  if (pattern_size != 1 && pattern_size != 2 && pattern_size != 4)
    throw Error(Status::INVALID_ARGUMENT,
                text("pattern_size is ", pattern_size, ", not 1, 2 or 4"));
  if (size % pattern_size != 0 || (address_ + offset) % pattern_size != 0)
    throw Error(Status::INVALID_ARGUMENT,
                text("cannot fill ", size, " bytes at offset ", offset, " with a pattern of ",
                     pattern_size, ": both must be multiples of it"));
  if (size == 0) return;
  const ContextGuard guard(context_->native());
  const auto& cu = cuda();
  uint32_t value = 0;  // little endian, as every host that CUDA runs on
  std::memcpy(&value, pattern, pattern_size);
  const CUdeviceptr to = address_ + offset;
  const size_t count = size / pattern_size;
  const CUstream native = stream.native();
  check(pattern_size == 1 ? cu.cuMemsetD8Async(to, static_cast<unsigned char>(value), count, native)
        : pattern_size == 2
            ? cu.cuMemsetD16Async(to, static_cast<unsigned short>(value), count, native)
            : cu.cuMemsetD32Async(to, value, count, native),
        [&] { return text("fill ", size, " bytes of a buffer on ", device().label()); });
}

}  // namespace cucore::core
