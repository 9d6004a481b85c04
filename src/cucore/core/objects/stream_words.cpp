// SPDX-License-Identifier: Apache-2.0
#include "core/objects/stream_words.hpp"

#include "core/objects/captured_work.hpp"
#include "core/objects/context_scope.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::core {
namespace {

constexpr int SINCE_WORDS = 11070;

// A device without pools has other memory in its place.
bool is_of_pool(const Buffer& buffer) {
  return buffer.kind() == Buffer::Kind::POOL && buffer.device().limits().pools;
}

// Calls `narrow` for 4 bytes and `wide` for 8.
template <class Narrow, class Wide>
CUresult call_with(const Stream& stream, const Buffer& buffer, size_t offset, uint64_t value,
                   size_t size, unsigned flags, Narrow narrow, Wide wide) {
  const ContextScope scope(*buffer.context(), "buffer");
  const BufferUse use(buffer, stream);
  // Driver 580 takes such a node, and refuses each launch of the graph.
  if (is_of_pool(buffer) && capture_of(stream) != NOT_CAPTURED) return CUDA_ERROR_INVALID_VALUE;
  hold_outside_bodies(stream, buffer, NodeKind::VALUE);
  const CUdeviceptr at = buffer.address() + offset;
  return size == sizeof(uint32_t) ? narrow(stream.native(), at, static_cast<uint32_t>(value), flags)
                                  : wide(stream.native(), at, value, flags);
}

}  // namespace

void check_word(CUresult result, const char* action, const Buffer& buffer, size_t size) {
  const auto describe = [&] {
    return concat(action, " ", counted(size, "byte"), " of a buffer on ", buffer.device().label());
  };
  if (result == CUDA_ERROR_INVALID_VALUE && is_of_pool(buffer))
    throw Error(Status::INVALID_ARGUMENT,
                concat("cannot ", describe(),
                       ": the driver accepts no word in memory of a pool; use a pinned buffer, of "
                       "cucore_buffer_create_pinned()"),
                {}, {"cuda", result, driver::name_of(result)});
  driver::check(result, describe);
}

void require_word(const Buffer& buffer, size_t offset, uint64_t value, size_t size) {
  if (size != sizeof(uint32_t) && size != sizeof(uint64_t))
    throw Error(Status::INVALID_ARGUMENT,
                concat("size is ", size, "; expected 4 or 8, the bytes of a word"));
  if (offset > buffer.size() || size > buffer.size() - offset)
    throw Error(Status::INVALID_ARGUMENT,
                concat("offset is ", offset, " and the word has ", size, " bytes; the buffer has ",
                       counted(buffer.size(), "byte")));
  if ((buffer.address() + offset) % size != 0)
    throw Error(Status::INVALID_ARGUMENT, concat("offset is ", offset, "; expected a multiple of ",
                                                 size, ", because a word is aligned"));
  if (size == sizeof(uint32_t) && value > UINT32_MAX)
    throw Error(Status::INVALID_ARGUMENT,
                concat("value is ", value, "; expected at most 4294967295 for 4 bytes"));
}

unsigned wait_flags(cucore_comparison comparison) {
  switch (comparison) {
    case CUCORE_COMPARISON_GREATER_EQUAL:
      return CU_STREAM_WAIT_VALUE_GEQ;
    case CUCORE_COMPARISON_EQUAL:
      return CU_STREAM_WAIT_VALUE_EQ;
    case CUCORE_COMPARISON_ANY_BIT:
      return CU_STREAM_WAIT_VALUE_AND;
    case CUCORE_COMPARISON_NOR:
      return CU_STREAM_WAIT_VALUE_NOR;
    default:
      throw Error(Status::INVALID_ARGUMENT,
                  concat("comparison is ", static_cast<int32_t>(comparison),
                         "; expected a cucore_comparison, 1 to 4"));
  }
}

void write_word(const Stream& stream, const Buffer& buffer, size_t offset, uint64_t value,
                size_t size) {
  buffer.require_usable();
  stream.require_on(buffer.device(), "buffer");
  require_word(buffer, offset, value, size);
  const auto& cu = driver::cuda();
  const auto narrow = driver::require(cu.cuStreamWriteValue32, "cuStreamWriteValue32", SINCE_WORDS);
  const auto wide = driver::require(cu.cuStreamWriteValue64, "cuStreamWriteValue64", SINCE_WORDS);
  check_word(
      call_with(stream, buffer, offset, value, size, CU_STREAM_WRITE_VALUE_DEFAULT, narrow, wide),
      "write", buffer, size);
}

void wait_for_word(const Stream& stream, const Buffer& buffer, size_t offset, uint64_t value,
                   size_t size, cucore_comparison comparison) {
  buffer.require_usable();
  stream.require_on(buffer.device(), "buffer");
  require_word(buffer, offset, value, size);
  const unsigned flags = wait_flags(comparison);
  const auto& cu = driver::cuda();
  const auto narrow = driver::require(cu.cuStreamWaitValue32, "cuStreamWaitValue32", SINCE_WORDS);
  const auto wide = driver::require(cu.cuStreamWaitValue64, "cuStreamWaitValue64", SINCE_WORDS);
  check_word(call_with(stream, buffer, offset, value, size, flags, narrow, wide), "wait for",
             buffer, size);
}

}  // namespace cucore::core
