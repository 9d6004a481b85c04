// SPDX-License-Identifier: Apache-2.0
#include "core/objects/buffer.hpp"

#include "capi/boxes.hpp"
#include "capi/observed.hpp"

using namespace cucore::capi;
namespace core = cucore::core;

namespace {

// `create()` makes the buffer.
template <class Create>
[[gnu::cold, gnu::noinline]] void create_observed(const core::Device& device,
                                                  const core::Stream* stream, size_t size,
                                                  cucore_buffer** out, Create create) {
  core::observe(
      {.kind = CUCORE_OPERATION_ALLOCATE, .device = &device, .stream = stream, .size = size},
      [&](core::Operation& operation) {
        const cucore::Ref<core::Buffer> buffer = create();
        *out = wrap(buffer);
        operation.address = buffer->address();
      });
}

// `move()` moves bytes of the buffer from `offset` on.
template <class Move>
[[gnu::cold, gnu::noinline]] void move_observed(cucore_operation_kind kind,
                                                const core::Buffer& buffer, size_t offset,
                                                size_t size, const core::Stream& stream,
                                                Move move) {
  core::observe(
      {.kind = kind, .stream = &stream, .address = buffer.address() + offset, .size = size},
      [&](core::Operation&) { move(); });
}

}  // namespace

extern "C" {

CUCORE_API cucore_status cucore_buffer_create(const cucore_device* device, size_t size,
                                              const cucore_stream* stream, cucore_buffer** out,
                                              cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    auto order = share(stream, "stream");
    require(out, "out");
    if (is_observed(CUCORE_OPERATION_ALLOCATE)) [[unlikely]]
      return create_observed(on, order.get(), size, out,
                             [&on, size, order] { return core::Buffer::create(on, size, order); });
    *out = wrap(core::Buffer::create(on, size, std::move(order)));
  });
}

CUCORE_API cucore_status cucore_buffer_from_pool(cucore_pool* pool, size_t size,
                                                 const cucore_stream* stream, cucore_buffer** out,
                                                 cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    auto from = share(pool, "pool");
    auto order = share(stream, "stream");
    require(out, "out");
    if (is_observed(CUCORE_OPERATION_ALLOCATE)) [[unlikely]]
      return create_observed(from->device(), order.get(), size, out, [from, size, order] {
        return core::Buffer::from_pool(from, size, order);
      });
    *out = wrap(core::Buffer::from_pool(std::move(from), size, std::move(order)));
  });
}

CUCORE_API cucore_status cucore_buffer_create_pinned(const cucore_device* device, size_t size,
                                                     cucore_buffer** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    if (is_observed(CUCORE_OPERATION_ALLOCATE)) [[unlikely]]
      return create_observed(on, nullptr, size, out,
                             [&on, size] { return core::Buffer::create_pinned(on, size); });
    *out = wrap(core::Buffer::create_pinned(on, size));
  });
}

CUCORE_API cucore_status cucore_buffer_create_managed(const cucore_device* device, size_t size,
                                                      cucore_buffer** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    if (is_observed(CUCORE_OPERATION_ALLOCATE)) [[unlikely]]
      return create_observed(on, nullptr, size, out,
                             [&on, size] { return core::Buffer::create_managed(on, size); });
    *out = wrap(core::Buffer::create_managed(on, size));
  });
}

CUCORE_API cucore_status cucore_buffer_from_native(const cucore_device* device, uint64_t address,
                                                   size_t size, cucore_buffer** out,
                                                   cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(out, "out");
    *out = wrap(core::Buffer::from_native(on, address, size));
  });
}

CUCORE_API cucore_status cucore_buffer_from_owner(const cucore_device* device, uint64_t address,
                                                  size_t size, cucore_buffer_destroy_fn destroy,
                                                  void* user_data, cucore_buffer** out,
                                                  cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Device& on = use(device, "device");
    require(destroy, "destroy");
    require(out, "out");
    const auto buffer = core::Buffer::from_owner(on, address, size);
    *out = wrap(buffer);
    buffer->set_owner({destroy, user_data});  // last, because the caller keeps what fails
  });
}

CUCORE_API cucore_buffer* cucore_buffer_retain(const cucore_buffer* buffer) {
  return retain(buffer);
}

CUCORE_API void cucore_buffer_release(cucore_buffer* buffer) { release(buffer); }

CUCORE_API cucore_status cucore_buffer_set_stream(cucore_buffer* buffer,
                                                  const cucore_stream* stream,
                                                  cucore_error** error) {
  return guard(error, [&] { use(buffer, "buffer").set_stream(share(stream, "stream")); });
}

CUCORE_API cucore_status cucore_buffer_record_use(const cucore_buffer* buffer,
                                                  const cucore_stream* stream,
                                                  cucore_error** error) {
  return guard(error, [&] {
    const core::Buffer& self = use(buffer, "buffer");
    const core::Stream& on = use(stream, "stream");
    self.require_usable();
    on.require_usable();
    self.record_use(on);
  });
}

CUCORE_API cucore_status cucore_buffer_device(const cucore_buffer* buffer, cucore_device** out,
                                              cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Buffer& self = use(buffer, "buffer");
    require(out, "out");
    *out = wrap(self.device());
  });
}

CUCORE_API cucore_status cucore_buffer_pool(const cucore_buffer* buffer, cucore_pool** out,
                                            cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const core::Buffer& self = use(buffer, "buffer");
    require(out, "out");
    *out = wrap(self.pool());
  });
}

CUCORE_API uint64_t cucore_buffer_address(const cucore_buffer* buffer) {
  const auto* self = peek(buffer);
  return self ? self->address() : 0;
}

CUCORE_API void* cucore_buffer_host_pointer(const cucore_buffer* buffer) {
  const auto* self = peek(buffer);
  return self ? self->host_pointer() : nullptr;
}

CUCORE_API int32_t cucore_buffer_memory_kind(const cucore_buffer* buffer) {
  int32_t kind = CUCORE_MEMORY_KIND_UNKNOWN;
  if (const auto* self = peek(buffer))
    guard(nullptr, [&] { kind = static_cast<int32_t>(self->memory_kind()); });
  return kind;
}

CUCORE_API size_t cucore_buffer_size(const cucore_buffer* buffer) {
  const auto* self = peek(buffer);
  return self ? self->size() : 0;
}

CUCORE_API cucore_status cucore_buffer_write(cucore_buffer* buffer, size_t offset,
                                             const void* source, size_t size,
                                             const cucore_stream* stream, cucore_error** error) {
  return guard(error, [&] {
    core::Buffer& self = use(buffer, "buffer");
    const core::Stream& order = use(stream, "stream");
    if (size != 0) require(source, "source");
    if (is_observed(CUCORE_OPERATION_WRITE)) [[unlikely]]
      return move_observed(
          CUCORE_OPERATION_WRITE, self, offset, size, order,
          [&self, offset, source, size, &order] { self.write(offset, source, size, order); });
    self.write(offset, source, size, order);
  });
}

CUCORE_API cucore_status cucore_buffer_read(const cucore_buffer* buffer, size_t offset,
                                            void* destination, size_t size,
                                            const cucore_stream* stream, cucore_error** error) {
  return guard(error, [&] {
    const core::Buffer& self = use(buffer, "buffer");
    const core::Stream& order = use(stream, "stream");
    if (size != 0) require(destination, "destination");
    if (is_observed(CUCORE_OPERATION_READ)) [[unlikely]]
      return move_observed(CUCORE_OPERATION_READ, self, offset, size, order,
                           [&self, offset, destination, size, &order] {
                             self.read(offset, destination, size, order);
                           });
    self.read(offset, destination, size, order);
  });
}

CUCORE_API cucore_status cucore_buffer_copy(cucore_buffer* destination, size_t destination_offset,
                                            const cucore_buffer* source, size_t source_offset,
                                            size_t size, const cucore_stream* stream,
                                            cucore_error** error) {
  return guard(error, [&] {
    core::Buffer& to = use(destination, "destination");
    const core::Buffer& from = use(source, "source");
    const core::Stream& order = use(stream, "stream");
    if (is_observed(CUCORE_OPERATION_COPY)) [[unlikely]]
      return move_observed(CUCORE_OPERATION_COPY, to, destination_offset, size, order,
                           [&to, destination_offset, &from, source_offset, size, &order] {
                             to.copy(destination_offset, from, source_offset, size, order);
                           });
    to.copy(destination_offset, from, source_offset, size, order);
  });
}

CUCORE_API cucore_status cucore_buffer_copy_box(const cucore_box* destination,
                                                const cucore_box* source, size_t width,
                                                size_t height, size_t depth,
                                                const cucore_stream* stream, cucore_error** error) {
  return guard(error, [&] {
    const core::BoxCopy copy = box_copy(destination, source, {width, height, depth});
    const core::Stream& order = use(stream, "stream");
    if (is_observed(CUCORE_OPERATION_COPY)) [[unlikely]]
      return core::observe({.kind = CUCORE_OPERATION_COPY,
                            .stream = &order,
                            .address = copy.to().first,
                            .size = copy.size()},
                           [&](core::Operation&) { copy.run(order); });
    copy.run(order);
  });
}

CUCORE_API cucore_status cucore_buffer_fill(cucore_buffer* buffer, size_t offset, size_t size,
                                            const void* pattern, size_t pattern_size,
                                            const cucore_stream* stream, cucore_error** error) {
  return guard(error, [&] {
    core::Buffer& self = use(buffer, "buffer");
    const core::Stream& order = use(stream, "stream");
    require(pattern, "pattern");
    if (is_observed(CUCORE_OPERATION_FILL)) [[unlikely]]
      return move_observed(CUCORE_OPERATION_FILL, self, offset, size, order,
                           [&self, offset, size, pattern, pattern_size, &order] {
                             self.fill(offset, size, pattern, pattern_size, order);
                           });
    self.fill(offset, size, pattern, pattern_size, order);
  });
}

CUCORE_API void* cucore_buffer_native(const cucore_buffer* buffer) {
  const auto* self = peek(buffer);
  return self ? reinterpret_cast<void*>(self->address()) : nullptr;
}

}  // extern "C"
