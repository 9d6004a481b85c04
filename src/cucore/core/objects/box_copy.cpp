// SPDX-License-Identifier: Apache-2.0
#include "core/objects/box_copy.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

// The value of CU_DEVICE_ATTRIBUTE_MAX_PITCH of all devices.
constexpr size_t LARGEST_PITCH = INT32_MAX;

bool add(size_t a, size_t b, size_t& sum) { return !__builtin_add_overflow(a, b, &sum); }
bool multiply(size_t a, size_t b, size_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

[[noreturn]] void throw_too_large(const char* side) {
  throw Error(Status::INVALID_ARGUMENT,
              concat("the box of the ", side,
                     " ends behind the last address; expected a box inside "
                     "its memory"));
}

size_t sum_of(size_t a, size_t b, const char* side) {
  size_t sum = 0;
  if (!add(a, b, sum)) throw_too_large(side);
  return sum;
}

// The distance between rows or slices, which is `given` unless that is 0.
size_t distance(size_t given, size_t least, const char* field, const char* parts,
                const char* side) {
  if (given == 0) return least;
  if (given < least)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_box.", field, " of the ", side, " is ", given,
                       "; expected 0 or at least ", least, ", so that ", parts, " do not overlap"));
  return given;
}

void require_one_memory(const Box& box, const char* side) {
  if ((box.buffer != nullptr) != (box.host != nullptr)) return;
  throw Error(Status::INVALID_ARGUMENT,
              concat("the box of the ", side, " has ",
                     box.buffer ? "a buffer and memory of the program"
                                : "neither a buffer nor memory of the program",
                     "; expected one of cucore_box.buffer and cucore_box.host"));
}

// The bytes from row 0 of slice 0 to the first byte of the box.
size_t start_of(const Box& box, const BoxLayout& layout, const char* side) {
  size_t rows = 0, bytes = 0, start = 0;
  const bool fits = multiply(box.z, layout.slice_rows, rows) && add(rows, box.y, rows) &&
                    multiply(rows, layout.row_bytes, bytes) && add(bytes, box.x, start);
  if (!fits) throw_too_large(side);
  return start;
}

// The bytes from the first byte of the box to the end of its last row.
size_t span_of(const BoxLayout& layout, const BoxExtent& extent, const char* side) {
  size_t rows = 0, span = 0;
  const bool fits = multiply(extent.depth - 1, layout.slice_rows, rows) &&
                    add(rows, extent.height - 1, rows) && multiply(rows, layout.row_bytes, span) &&
                    add(span, extent.width, span);
  if (!fits) throw_too_large(side);
  return span;
}

void require_inside(const Box& box, size_t end, const char* side) {
  if (!box.buffer || end <= box.buffer->size()) return;
  throw Error(Status::INVALID_ARGUMENT,
              concat("the box of the ", side, " ends at byte ", end, " of a buffer of ",
                     counted(box.buffer->size(), "byte"), "; expected a box inside the buffer"));
}

void require_pitch(const BoxLayout& layout, const BoxExtent& extent, const char* side) {
  if ((extent.height == 1 && extent.depth == 1) || layout.row_bytes <= LARGEST_PITCH) return;
  throw Error(Status::INVALID_ARGUMENT,
              concat("cucore_box.row_bytes of the ", side, " is ", layout.row_bytes,
                     "; expected at most ", LARGEST_PITCH, ", as devices require"));
}

BoxLayout layout_of(const Box& box, const BoxExtent& extent, const char* side) {
  require_one_memory(box, side);
  if (box.buffer) box.buffer->require_usable();
  BoxLayout layout;
  layout.row_bytes =
      distance(box.row_bytes, sum_of(box.x, extent.width, side), "row_bytes", "rows", side);
  layout.slice_rows =
      distance(box.slice_rows, sum_of(box.y, extent.height, side), "slice_rows", "slices", side);
  if (extent.is_empty()) return layout;
  require_pitch(layout, extent, side);
  layout.last = span_of(layout, extent, side);
  const size_t start = sum_of(box.offset, start_of(box, layout, side), side);
  require_inside(box, sum_of(start, layout.last, side), side);
  const uint64_t base = box.buffer ? box.buffer->address() : reinterpret_cast<uintptr_t>(box.host);
  layout.first = sum_of(base, start, side);
  if (sum_of(layout.first, layout.last, side) > INT64_MAX) throw_too_large(side);
  return layout;
}

// Row `index` of all rows of the box.
uint64_t row_at(const BoxLayout& layout, const BoxExtent& extent, size_t index) {
  const size_t slice = index / extent.height, row = index % extent.height;
  return layout.first + (slice * layout.slice_rows + row) * layout.row_bytes;
}

// Whether the distance, less than `limit` steps in either direction, passes the test. No distance
// passes it that is a step or more, so two numbers of steps suffice.
template <class Test>
bool any_near(int64_t distance, int64_t step, size_t limit, Test&& test) {
  if (limit == 1) return test(distance);
  const int64_t below = distance / step - (distance % step < 0);
  for (const int64_t steps : {below, below + 1})
    if (steps < static_cast<int64_t>(limit) && -steps < static_cast<int64_t>(limit) &&
        test(distance - steps * step))
      return true;
  return false;
}

// Two boxes with the same distances of rows and slices, as boxes of one matrix have.
bool overlap_in_grid(const BoxLayout& to, const BoxLayout& from, const BoxExtent& extent) {
  const auto between = static_cast<int64_t>(to.first - from.first);
  const auto width = static_cast<int64_t>(extent.width);
  return any_near(between, static_cast<int64_t>(to.slice_bytes()), extent.depth, [&](int64_t rest) {
    return any_near(rest, static_cast<int64_t>(to.row_bytes), extent.height,
                    [&](int64_t bytes) { return bytes < width && -bytes < width; });
  });
}

// Rows ascend in both, so one pass finds two that overlap.
bool rows_overlap(const BoxLayout& to, const BoxLayout& from, const BoxExtent& extent) {
  const size_t rows = extent.height * extent.depth;
  for (size_t i = 0, j = 0; i < rows && j < rows;) {
    const uint64_t a = row_at(to, extent, i), b = row_at(from, extent, j);
    if (a < b + extent.width && b < a + extent.width) return true;
    if (a < b)
      ++i;
    else
      ++j;
  }
  return false;
}

bool overlap(const BoxLayout& to, const BoxLayout& from, const BoxExtent& extent) {
  if (to.first >= from.first + from.last || from.first >= to.first + to.last) return false;
  const bool same_rows = extent.height == 1 || to.row_bytes == from.row_bytes;
  const bool same_slices = extent.depth == 1 || to.slice_bytes() == from.slice_bytes();
  if (same_rows && same_slices) return overlap_in_grid(to, from, extent);
  return rows_overlap(to, from, extent);
}

// The manual has no unified addresses for calls with contexts.
CUmemorytype type_of(const Buffer& buffer) {
  return buffer.memory_kind() == MemoryKind::PINNED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

}  // namespace

BoxCopy::BoxCopy(Box destination, Box source, const BoxExtent& extent)
    : destination_(std::move(destination)),
      source_(std::move(source)),
      extent_(extent),
      to_(layout_of(destination_, extent, "destination")),
      from_(layout_of(source_, extent, "source")) {
  if (!destination_.buffer && !source_.buffer)
    throw Error(Status::INVALID_ARGUMENT,
                "destination and source are memory of the program; expected a buffer in one of "
                "them");
  if (!extent.is_empty() && overlap(to_, from_, extent))
    throw Error(Status::INVALID_ARGUMENT,
                "source and destination of the copy overlap; copy through a third buffer");
}

const Ref<Context>& BoxCopy::context() const {
  return destination_.buffer ? destination_.buffer->context() : source_.buffer->context();
}

const Ref<Context>& BoxCopy::source_context() const {
  return source_.buffer ? source_.buffer->context() : destination_.buffer->context();
}

void BoxCopy::require_usable() const {
  if (destination_.buffer) destination_.buffer->require_usable();
  if (source_.buffer) source_.buffer->require_usable();
}

// The driver finds devices of buffers by the addresses, which are unified. It reads no pitch of a
// single row, and accepts no pitch above its limit.
CUDA_MEMCPY3D BoxCopy::native() const {
  CUDA_MEMCPY3D copy{};
  const bool is_row = extent_.height == 1 && extent_.depth == 1;
  copy.WidthInBytes = extent_.width;
  copy.Height = extent_.height;
  copy.Depth = extent_.depth;
  copy.srcMemoryType = source_.buffer ? CU_MEMORYTYPE_UNIFIED : CU_MEMORYTYPE_HOST;
  copy.dstMemoryType = destination_.buffer ? CU_MEMORYTYPE_UNIFIED : CU_MEMORYTYPE_HOST;
  if (source_.buffer)
    copy.srcDevice = from_.first;
  else
    copy.srcHost = reinterpret_cast<const void*>(from_.first);
  if (destination_.buffer)
    copy.dstDevice = to_.first;
  else
    copy.dstHost = reinterpret_cast<void*>(to_.first);
  copy.srcPitch = is_row ? extent_.width : from_.row_bytes;
  copy.dstPitch = is_row ? extent_.width : to_.row_bytes;
  copy.srcHeight = extent_.depth == 1 ? extent_.height : from_.slice_rows;
  copy.dstHeight = extent_.depth == 1 ? extent_.height : to_.slice_rows;
  return copy;
}

std::string BoxCopy::open_pools(CopyNode node) const {
  if (!source_.buffer || !destination_.buffer) return {};
  return core::open_pools(node, *destination_.buffer, *source_.buffer);
}

CUDA_MEMCPY3D_PEER BoxCopy::with_contexts() const {
  const CUDA_MEMCPY3D plain = native();
  CUDA_MEMCPY3D_PEER copy{};
  copy.srcMemoryType = type_of(*source_.buffer);
  copy.srcHost = reinterpret_cast<const void*>(from_.first);
  copy.srcDevice = from_.first;
  copy.srcContext = source_.buffer->context()->native();
  copy.srcPitch = plain.srcPitch;
  copy.srcHeight = plain.srcHeight;
  copy.dstMemoryType = type_of(*destination_.buffer);
  copy.dstHost = reinterpret_cast<void*>(to_.first);
  copy.dstDevice = to_.first;
  copy.dstContext = destination_.buffer->context()->native();
  copy.dstPitch = plain.dstPitch;
  copy.dstHeight = plain.dstHeight;
  copy.WidthInBytes = plain.WidthInBytes;
  copy.Height = plain.Height;
  copy.Depth = plain.Depth;
  return copy;
}

CUresult BoxCopy::add_to_driver(const Stream& stream, CopyCall call) const {
  if (call == CopyCall::CONTEXTS) {
    const CUDA_MEMCPY3D_PEER copy = with_contexts();
    return driver::cuda().cuMemcpy3DPeerAsync(&copy, stream.native());
  }
  const CUDA_MEMCPY3D copy = native();
  return driver::cuda().cuMemcpy3DAsync(&copy, stream.native());
}

std::string BoxCopy::describe() const {
  const auto label = [](const Box& box) {
    return box.buffer ? box.buffer->device().label() : std::string("memory of the program");
  };
  return concat("copy a box of ", counted(size(), "byte"), " from ", label(source_), " to ",
                label(destination_));
}

void BoxCopy::require_stream(const Stream& stream) const {
  stream.require_usable();
  for (const Box* box : {&destination_, &source_})
    if (box->buffer && &box->buffer->device() == &stream.device()) return;
  stream.require_on(context()->device(), destination_.buffer ? "destination" : "source");
}

void BoxCopy::add(const Stream& stream) const {
  const auto call = destination_.buffer && source_.buffer
                        ? prepare_copy(*destination_.buffer, *source_.buffer, stream)
                        : CopyCall::ADDRESSES;
  std::optional<ContextAccess> to, from;
  std::optional<BufferUse> written, read;
  if (destination_.buffer) to.emplace(*destination_.buffer->context(), "buffer");
  if (source_.buffer) from.emplace(*source_.buffer->context(), "buffer");
  const ContextScope scope(*stream.context(), "stream");
  if (!destination_.buffer) refuse_in_capture(stream, "copy a box into memory of the program in");
  if (destination_.buffer) {
    written.emplace(*destination_.buffer, stream);
    destination_.buffer->hold_in_capture(stream);
  }
  if (source_.buffer) {
    read.emplace(*source_.buffer, stream);
    source_.buffer->hold_in_capture(stream);
  }
  driver::check(add_to_driver(stream, call), [&] { return describe(); });
  const auto* const first = reinterpret_cast<const void*>(from_.first);
  const bool waits = !destination_.buffer || (!source_.buffer && is_registered_host(first));
  if (waits) stream.synchronize();
}

// A node reads at each launch, so the graph has a copy of the bytes, without gaps. The copy must
// not be made during the access to a context, because a new buffer waits for a reset.
void BoxCopy::add_with_copy(const Stream& stream) const {
  const Ref<const Buffer> bytes = Buffer::create_pinned(context()->device(), size());
  auto* to = static_cast<char*>(bytes->host_pointer());
  for (size_t row = 0; row < extent_.height * extent_.depth; ++row, to += extent_.width)
    std::memcpy(to, reinterpret_cast<const void*>(row_at(from_, extent_, row)), extent_.width);
  Box whole;
  whole.buffer = bytes;
  BoxCopy(destination_, std::move(whole), extent_).add(stream);
}

void BoxCopy::run(const Stream& stream) const {
  require_stream(stream);
  if (extent_.is_empty()) return;
  if (!source_.buffer && makes_nodes(stream))
    add_with_copy(stream);
  else
    add(stream);
}

}  // namespace cucore::core
