// SPDX-License-Identifier: Apache-2.0
#include "core/objects/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "core/objects/peer_copy.hpp"
#include "driver/stream_capture.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

namespace {

// Describes an allocation that failed. The driver does not report how much memory is free.
std::string describe_allocation(const Context& context, size_t size, const char* kind) {
  std::string message = concat("allocate ", counted(size, "byte"), " of ", kind, " memory on ",
                               context.device().label());
  const driver::ContextGuard guard(context.native(), std::nothrow);
  size_t free_bytes = 0, total_bytes = 0;
  if (cuda().cuMemGetInfo(&free_bytes, &total_bytes) == CUDA_SUCCESS)
    message += concat(" (", free_bytes, " of ", total_bytes, " bytes are free)");
  return message;
}

// Creates the buffer that owns an address. Frees the address if that fails.
template <class Free>
Ref<Buffer> adopt(Ref<Context> context, Buffer::Kind kind, Allocation::Kind allocation_kind,
                  CUdeviceptr address, void* host, size_t size, Ref<Stream> stream, Ref<Pool> pool,
                  Free&& free) {
  try {
    // Without make_unique(), whose call costs 60 instructions of 860.
    std::unique_ptr<Allocation> allocation(new Allocation(
        context, allocation_kind, address, host, size, std::move(stream), std::move(pool)));
    return make<Buffer>(std::move(context), kind, address, host, size, std::move(allocation));
  } catch (...) {
    const driver::RelaxedCaptures relaxed;
    driver::check_release(free(), "free memory");
    throw;
  }
}

Ref<Buffer> make_empty(Ref<Context> context, Buffer::Kind kind) {
  return make<Buffer>(std::move(context), kind, 0, nullptr, 0, nullptr);
}

}  // namespace

Ref<Buffer> Buffer::create(const Device& device, size_t size, Ref<Stream> stream) {
  stream->require_on(device, "buffer");
  Ref<Context> context = stream->context();
  if (size == 0) return make_empty(std::move(context), Kind::POOL);
  if (context->has_pool()) [[unlikely]]
    if (auto pool = Pool::find_current(*context))
      return from_pool(std::move(pool), size, std::move(stream));
  const bool pools = device.limits().pools;
  if (!pools) start_deferred_releases();
  const ContextAccess access(*context, "stream");
  std::optional<driver::ContextGuard> guard;
  if (!pools || stream->needs_current_context()) guard.emplace(context->native());
  if (const uint64_t capture = find_capture_for_memory(*stream, "create a buffer")) {
    if (pools) return create_in_capture(nullptr, size, std::move(stream), capture);
    throw Error(Status::INVALID_STATE,
                concat("cannot create a buffer on ", stream->label(),
                       " in a capture: the device has no memory pools; create it before the "
                       "capture"));
  }
  const auto& cu = cuda();
  const CUstream native = stream->native();
  CUdeviceptr address = 0;
  const auto allocate = [&] {
    return pools ? cu.cuMemAllocAsync(&address, size, native) : cu.cuMemAlloc(&address, size);
  };
  const CUresult result =
      allocate_or_wait(*context, [&] { return call_without_context(*context, allocate); });
  if (result != CUDA_SUCCESS) [[unlikely]]
    context->pool_counts().add_failure();
  check(result, [&] { return describe_allocation(*context, size, "device"); });
  const auto kind = pools ? Allocation::Kind::POOL : Allocation::Kind::DEVICE;
  Ref<Buffer> buffer =
      adopt(std::move(context), Kind::POOL, kind, address, nullptr, size, std::move(stream),
            nullptr, [&] {
              const driver::RelaxedCaptures relaxed;
              return pools ? cu.cuMemFreeAsync(address, native) : cu.cuMemFree(address);
            });
  if (pools) buffer->context()->pool_counts().add_allocation(size);
  return buffer;
}

Ref<Buffer> Buffer::from_graph(Ref<GraphMemory> memory, Ref<const Stream> stream,
                               uint64_t capture) {
  const size_t size = memory->size();
  Ref<Context> context = memory->context();
  auto allocation = std::make_unique<Allocation>(std::move(memory), std::move(stream), capture);
  return make<Buffer>(std::move(context), Kind::POOL, 0, nullptr, size, std::move(allocation));
}

void Buffer::set_graph_address(CUdeviceptr address) noexcept {
  address_ = address;
  allocation_->graph_memory()->set_address(address);
}

Ref<GraphMemory> Buffer::graph_memory() const {
  return allocation_ ? allocation_->graph_memory() : nullptr;
}

// The node comes last, because a later failure could not remove it.
Ref<Buffer> Buffer::create_in_capture(Pool* pool, size_t size, Ref<Stream> stream,
                                      uint64_t capture) {
  Ref<Context> context = stream->context();
  const auto memory = make<GraphMemory>(context, size);
  hold_outside_bodies(*stream, *memory, NodeKind::ALLOCATION);
  const Ref<Buffer> buffer = from_graph(memory, stream, capture);
  CUdeviceptr address = 0;
  if (pool)
    address = pool->add_allocation_node(size, *stream);
  else
    check(call_without_context(
              *context, [&] { return cuda().cuMemAllocAsync(&address, size, stream->native()); }),
          [&] {
            return concat("add a node that allocates ", counted(size, "byte"), " on ",
                          context->device().label());
          });
  buffer->set_graph_address(address);
  return buffer;
}

namespace {

uint64_t capture_for(const Stream& stream) {
  if (!stream.may_be_captured()) return 0;
  const ContextScope scope(*stream.context(), "stream");
  return find_capture_for_memory(stream, "allocate from a pool");
}

}  // namespace

Ref<Buffer> Buffer::from_pool(Ref<Pool> pool, size_t size, Ref<Stream> stream) {
  pool->require_usable();
  stream->require_on(pool->device(), "pool");
  Ref<Context> context = pool->context();
  if (size == 0) return make_empty(std::move(context), Kind::POOL);
  if (const uint64_t capture = capture_for(*stream))
    return create_in_capture(pool.get(), size, std::move(stream), capture);
  const CUdeviceptr address = pool->allocate(size, *stream);
  Pool& from = *pool;
  const Ref<Stream> order = stream;
  return adopt(std::move(context), Kind::POOL, Allocation::Kind::POOL, address, nullptr, size,
               std::move(stream), std::move(pool), [&] {
                 from.free(address, *order);
                 return CUDA_SUCCESS;
               });
}

Ref<Pool> Buffer::pool() const {
  require_usable();
  if (kind_ != Kind::POOL || !allocation_ || graph_memory() || !device().limits().pools)
    throw Error(Status::INVALID_STATE,
                "the buffer has no pool; only device memory made by cucore_buffer_create() or "
                "cucore_buffer_from_pool() has one");
  return allocation_->pool() ? allocation_->pool() : Pool::default_of(context_);
}

Ref<Buffer> Buffer::create_pinned(const Device& device, size_t size) {
  if (size == 0) return make_empty(device.context(), Kind::PINNED);
  start_deferred_releases();
  const PrimaryScope primary(device);
  const auto& cu = cuda();
  void* host = nullptr;
  constexpr unsigned FLAGS = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  check(allocate_or_wait(*primary.context(), [&] { return cu.cuMemHostAlloc(&host, size, FLAGS); }),
        [&] {
          return concat("allocate ", counted(size, "byte"), " of pinned memory for ",
                        device.label());
        });
  CUdeviceptr address = 0;
  const CUresult mapped = cu.cuMemHostGetDevicePointer(&address, host, 0);
  if (mapped != CUDA_SUCCESS) driver::check_release(cu.cuMemFreeHost(host), "free pinned memory");
  check(mapped, "get the device address of pinned memory");
  return adopt(primary.context(), Kind::PINNED, Allocation::Kind::PINNED, address, host, size,
               nullptr, nullptr, [&] { return cu.cuMemFreeHost(host); });
}

Ref<Buffer> Buffer::create_managed(const Device& device, size_t size) {
  if (!device.limits().managed)
    throw Error(Status::UNSUPPORTED,
                device.label() + " has no managed memory; use device or pinned memory");
  if (size == 0) return make_empty(device.context(), Kind::MANAGED);
  start_deferred_releases();
  const PrimaryScope primary(device);
  const auto& cu = cuda();
  CUdeviceptr address = 0;
  check(
      allocate_or_wait(*primary.context(),
                       [&] { return cu.cuMemAllocManaged(&address, size, CU_MEM_ATTACH_GLOBAL); }),
      [&] { return describe_allocation(*primary.context(), size, "managed"); });
  return adopt(primary.context(), Kind::MANAGED, Allocation::Kind::MANAGED, address,
               reinterpret_cast<void*>(address), size, nullptr, nullptr,
               [&] { return cu.cuMemFree(address); });
}

namespace {

void require_address(CUdeviceptr address, size_t size) {
  if (address == 0 && size != 0)
    throw Error(Status::INVALID_ARGUMENT, concat("address is 0 but size is ", size));
  if (size != 0 && address + (size - 1) < address)
    throw Error(Status::INVALID_ARGUMENT,
                "address and size together pass the end of the address space");
}

}  // namespace

Ref<Buffer> Buffer::from_native(const Device& device, CUdeviceptr address, size_t size) {
  require_address(address, size);
  return make<Buffer>(device.context(), Kind::BORROWED, address, nullptr, size, nullptr);
}

Ref<Buffer> Buffer::from_owner(const Device& device, CUdeviceptr address, size_t size) {
  require_address(address, size);
  start_deferred_releases();
  Ref<Context> context = device.context();
  auto allocation = std::make_unique<Allocation>(context, address);
  return make<Buffer>(std::move(context), Kind::BORROWED, address, nullptr, size,
                      std::move(allocation));
}

Buffer::~Buffer() {
  if (allocation_) Allocation::release(std::move(allocation_));
}

void Buffer::set_stream(Ref<Stream> stream) {
  require_usable();
  if (kind_ != Kind::POOL)
    throw Error(Status::INVALID_STATE,
                "only device memory made by cucore_buffer_create() is freed in a stream's order");
  stream->require_on(device(), "buffer");
  if (!allocation_) return;
  Ref<const Stream> order(stream);  // ends after the lock, as the stream before
  std::lock_guard lock(mutex_);
  if (!allocation_->stream())
    throw Error(Status::INVALID_STATE,
                "memory of a graph is freed in the order of its launches, which have a stream");
  // Any thread may have added unrecorded work to the previous stream. A stream without a mark is
  // waited for with its context, because it may be another stream for each thread.
  const Stream& before = *allocation_->stream();
  if (before.mark())
    allocation_->uses().add(before.mark());
  else
    allocation_->uses().add(before.context(), StreamUses::FORGET);
  stream_.store(stream.get(), std::memory_order_release);
  std::swap(order, allocation_->stream_ref());
}

// Several objects may wrap one stream of the driver.
bool Buffer::is_own(const Stream& stream) const {
  std::lock_guard lock(mutex_);
  const Stream* own = allocation_->stream();
  return own && own->native() == stream.native() && own->context() == stream.context();
}

// Work in a capture runs at each launch of its graph. Earlier work in a borrowed stream is not
// recorded. No event can be recorded there, and a wait for the context could break captures of
// other code.
void Buffer::record_use(const Stream& stream) const {
  if (!allocation_) return;
  const BufferUse use(*this, stream);
  if (!stream.may_be_captured()) return;
  const ContextScope scope(*stream.context(), "stream");
  if (!detail::is_in_capture(stream)) return;
  hold(stream);
}

void BufferUse::begin(const Buffer& buffer, const Stream& stream) {
  if (!buffer.allocation_) return;
  StreamUses& uses = buffer.allocation_->uses();
  const Ref<StreamMark>& mark = stream.mark();
  if ((mark && uses.contains(mark.get())) || buffer.is_own(stream)) return;
  if (mark) return uses.add(mark);
  stream_id_ = uses.prepare_event(stream);
  buffer_ = &buffer;
  stream_ = &stream;
}

void BufferUse::end() noexcept { buffer_->allocation_->uses().record_event(*stream_, stream_id_); }

void Buffer::require_range(size_t offset, size_t size, const char* verb) const {
  require_usable();
  if (offset > size_ || size > size_ - offset)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cannot ", verb, " ", counted(size, "byte"), " at offset ", offset,
                       " of a buffer of ", counted(size_, "byte")));
}

bool is_registered_host(const void* host) {
  unsigned type = 0;
  const CUresult result = cuda().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                       reinterpret_cast<CUdeviceptr>(host));
  // Pageable memory is an invalid value. After any other failure the memory counts as registered.
  return result == CUDA_SUCCESS ? type != 0 : result != CUDA_ERROR_INVALID_VALUE;
}

MemoryKind Buffer::memory_kind() const {
  switch (kind_) {
    case Kind::POOL:
      return MemoryKind::DEVICE;
    case Kind::PINNED:
      return MemoryKind::PINNED;
    case Kind::MANAGED:
      return MemoryKind::MANAGED;
    case Kind::BORROWED:
      if (size_ == 0) return MemoryKind::UNKNOWN;
      break;
  }
  const ContextScope scope(*context_, std::nothrow);
  if (!scope.is_alive()) return MemoryKind::UNKNOWN;
  unsigned type = 0, managed = 0;
  const auto& cu = cuda();
  if (cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address_) != CUDA_SUCCESS ||
      cu.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address_) != CUDA_SUCCESS)
    return MemoryKind::UNKNOWN;
  if (managed) return MemoryKind::MANAGED;
  return type == CU_MEMORYTYPE_HOST ? MemoryKind::PINNED : MemoryKind::DEVICE;
}

void Buffer::hold_in(CapturedWork& work) const {
  const bool is_of_capture =
      allocation_ && allocation_->capture() != 0 && allocation_->capture() == work.capture();
  if (!is_of_capture) work.hold(*this);
}

void Buffer::hold(const Stream& stream) const {
  CapturedWork work(stream);
  if (work.is_captured()) hold_in(work);
}

bool makes_nodes(const Stream& stream) {
  if (!stream.may_be_captured()) return false;
  const ContextScope scope(*stream.context(), "stream");
  return capture_of(stream) != NOT_CAPTURED;
}

void Buffer::write(size_t offset, const void* source, size_t size, const Stream& stream) {
  require_range(offset, size, "write");
  stream.require_on(device(), "buffer");
  if (size == 0) return;
  if (makes_nodes(stream) && write_in_capture(offset, source, size, stream)) return;
  const ContextScope scope(*context_, "buffer");
  const BufferUse use(*this, stream);
  check(cuda().cuMemcpyHtoDAsync(address_ + offset, source, size, stream.native()), [&] {
    return concat("write ", counted(size, "byte"), " to a buffer on ", device().label());
  });
  if (is_registered_host(source)) stream.synchronize();
}

// A node reads at each launch, so the graph has a copy of the bytes. The copy must not be made
// during the access to the context, because a new buffer waits for a reset. Returns false if the
// capture has ended since the caller asked.
bool Buffer::write_in_capture(size_t offset, const void* source, size_t size,
                              const Stream& stream) {
  const Ref<Buffer> copy = create_pinned(device(), size);
  std::memcpy(copy->host_pointer(), source, size);
  const ContextScope scope(*context_, "buffer");
  const BufferUse use(*this, stream);
  CapturedWork work(stream);
  if (!work.is_captured()) return false;
  hold_in(work);
  copy->hold_in(work);
  check(cuda().cuMemcpyHtoDAsync(address_ + offset, copy->host_pointer(), size, stream.native()),
        [&] {
          return concat("add a node that writes ", counted(size, "byte"), " to a buffer on ",
                        device().label());
        });
  return true;
}

void Buffer::read(size_t offset, void* destination, size_t size, const Stream& stream) const {
  require_range(offset, size, "read");
  stream.require_on(device(), "buffer");
  if (size == 0) return;
  const ContextScope scope(*context_, "buffer");
  refuse_in_capture(stream, "read a buffer in");
  const BufferUse use(*this, stream);
  check(cuda().cuMemcpyDtoHAsync(destination, address_ + offset, size, stream.native()), [&] {
    return concat("read ", counted(size, "byte"), " from a buffer on ", device().label());
  });
  stream.synchronize();
}

void Buffer::check_copy(size_t offset, const Buffer& source, size_t source_offset,
                        size_t size) const {
  require_range(offset, size, "copy to");
  source.require_range(source_offset, size, "copy from");
  const CUdeviceptr to = address_ + offset, from = source.address_ + source_offset;
  if (to < from + size && from < to + size)
    throw Error(Status::INVALID_ARGUMENT,
                "source and destination of the copy overlap; copy through a third buffer");
}

void Buffer::copy(size_t offset, const Buffer& source, size_t source_offset, size_t size,
                  const Stream& stream) {
  check_copy(offset, source, source_offset, size);
  stream.require_usable();
  if (&stream.device() != &device() && &stream.device() != &source.device())
    stream.require_on(device(), "destination");
  if (size == 0) return;
  const CUdeviceptr to = address_ + offset, from = source.address_ + source_offset;
  const bool with_contexts = prepare_copy(*this, source, stream) == CopyCall::CONTEXTS;
  const ContextAccess access(*context_, "buffer"), source_access(*source.context_, "buffer");
  const ContextScope scope(*stream.context(), "stream");
  const BufferUse use(*this, stream), source_use(source, stream);
  hold_in_capture(stream);
  source.hold_in_capture(stream);
  const auto& cu = cuda();
  const CUresult result =
      with_contexts ? cu.cuMemcpyPeerAsync(to, context_->native(), from, source.context_->native(),
                                           size, stream.native())
                    : cu.cuMemcpyAsync(to, from, size, stream.native());
  check(result, [&] {
    return concat("copy ", counted(size, "byte"), " from ", source.device().label(), " to ",
                  device().label());
  });
}

namespace {

void require_pattern(CUdeviceptr address, size_t offset, size_t size, size_t pattern_size) {
  if (pattern_size != 1 && pattern_size != 2 && pattern_size != 4 && pattern_size != 8)
    throw Error(Status::INVALID_ARGUMENT,
                concat("the pattern is ", pattern_size, " bytes; expected 1, 2, 4 or 8 bytes"));
  if (size % pattern_size == 0 && offset % pattern_size == 0 && address % pattern_size == 0) return;
  const std::string subject = size % pattern_size != 0     ? concat("the length is ", size)
                              : offset % pattern_size != 0 ? concat("the offset is ", offset)
                                                           : concat("the address is ", address);
  throw Error(Status::INVALID_ARGUMENT,
              concat(subject, "; expected multiples of the pattern's ", pattern_size, " bytes"));
}

bool is_on_device(CUdeviceptr address) {
  unsigned type = 0;
  return cuda().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) ==
             CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE;
}

// The driver has no call that repeats 8 bytes. Each half is a column of 4 bytes, which takes an
// H200 170 ms for 1 GiB. Doubling copies of a first part on the device take 0.5 ms; copies of host
// memory would wait for the stream.
CUresult fill_wide(CUdeviceptr to, uint64_t value, size_t count, bool can_copy, CUstream stream) {
  constexpr size_t PITCH = sizeof value, HALF = PITCH / 2, FIRST = 8192;
  const auto& cu = cuda();
  const auto low = static_cast<uint32_t>(value), high = static_cast<uint32_t>(value >> 32);
  if (low == high) return cu.cuMemsetD32Async(to, low, 2 * count, stream);
  size_t done = can_copy ? std::min(count, FIRST) : count;
  CUresult result = cu.cuMemsetD2D32Async(to, PITCH, low, 1, done, stream);
  if (result == CUDA_SUCCESS)
    result = cu.cuMemsetD2D32Async(to + HALF, PITCH, high, 1, done, stream);
  while (result == CUDA_SUCCESS && done < count) {
    const size_t more = std::min(done, count - done);
    result = cu.cuMemcpyDtoDAsync(to + done * PITCH, to, more * PITCH, stream);
    done += more;
  }
  return result;
}

CUresult fill_with(CUdeviceptr to, uint64_t value, size_t pattern_size, size_t count, bool can_copy,
                   CUstream stream) {
  const auto& cu = cuda();
  switch (pattern_size) {
    case 1:
      return cu.cuMemsetD8Async(to, static_cast<unsigned char>(value), count, stream);
    case 2:
      return cu.cuMemsetD16Async(to, static_cast<unsigned short>(value), count, stream);
    case 4:
      return cu.cuMemsetD32Async(to, static_cast<uint32_t>(value), count, stream);
    default:
      return fill_wide(to, value, count, can_copy, stream);
  }
}

}  // namespace

void Buffer::check_fill(size_t offset, size_t size, size_t pattern_size) const {
  require_range(offset, size, "fill");
  require_pattern(address_, offset, size, pattern_size);
}

void Buffer::fill(size_t offset, size_t size, const void* pattern, size_t pattern_size,
                  const Stream& stream) {
  require_range(offset, size, "fill");
  stream.require_on(device(), "buffer");
  require_pattern(address_, offset, size, pattern_size);
  if (size == 0) return;
  const ContextScope scope(*context_, "buffer");
  const BufferUse use(*this, stream);
  hold_in_capture(stream);
  uint64_t value = 0;  // little endian, as all hosts of CUDA are
  std::memcpy(&value, pattern, pattern_size);
  const bool can_copy = kind_ == Kind::POOL || kind_ == Kind::MANAGED ||
                        (kind_ == Kind::BORROWED && pattern_size == 8 && is_on_device(address_));
  check(
      fill_with(address_ + offset, value, pattern_size, size / pattern_size, can_copy,
                stream.native()),
      [&] { return concat("fill ", counted(size, "byte"), " of a buffer on ", device().label()); });
}

}  // namespace cucore::core
