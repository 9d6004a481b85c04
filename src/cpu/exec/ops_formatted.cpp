// SPDX-License-Identifier: Apache-2.0
// sust.p and sured.p: accesses by the texel, with words that the format of the surface converts.
#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/exec/baseline_ops.hpp"
#include "cpu/exec/halves.hpp"
#include "cpu/exec/image_access.hpp"
#include "cpu/exec/surface_place.hpp"

namespace cucore::cpu {

using ptx::Opcode;
using ptx::Operation;
using ptx::Type;

namespace {

// Integers that are too large for the format become its largest one; halves are rounded toward
// zero.
uint32_t limited(uint32_t word, unsigned bits, bool is_signed) {
  if (!is_signed) return uint32_t(std::min<uint64_t>(word, (uint64_t{1} << bits) - 1));
  const int64_t most = (int64_t{1} << (bits - 1)) - 1;
  return uint32_t(std::clamp<int64_t>(int32_t(word), -most - 1, most));
}

uint32_t channel_of(ChannelFormat format, uint32_t word) {
  switch (format) {
    case ChannelFormat::HALF:
      return Half::from(double{std::bit_cast<float>(word)}, HalfRounding::ZERO);
    case ChannelFormat::FLOAT:
      return word;
    default:
      return limited(word, 8 * channel_bytes(format), format >= ChannelFormat::S8);
  }
}

// Channels that the instruction lacks become 0. Words that the format lacks are dropped.
void store(const Warp& w, const ImageSite& site, const Image& image, int lane, std::byte* to) {
  const uint32_t bytes = channel_bytes(image.format);
  for (uint32_t c = 0; c < image.channels; ++c) {
    const uint32_t word = c < site.count ? w.at<uint32_t>(site.values[c])[lane] : 0;
    const uint32_t channel = channel_of(image.format, word);
    std::memcpy(to + size_t{c} * bytes, &channel, bytes);
  }
}

bool is_bitwise(Operation operation) {
  return operation == Operation::and_ || operation == Operation::or_ ||
         operation == Operation::xor_;
}

// The sign of the words is that of the format.
Reduction reduction_of(const ImageSite& site, const Image& image) {
  const bool is_word = image.channels == 1 &&
                       (image.format == ChannelFormat::U32 || image.format == ChannelFormat::S32);
  if (!is_word) return {};
  const Type type = image.format == ChannelFormat::S32 ? Type::s32 : Type::u32;
  return select_reduction(is_bitwise(site.operation) ? Type::b32 : type, site.operation);
}

void reduce(const Warp& w, const Op& op, const ImageSite& site, const Image& image, int lane,
            std::byte* to) {
  const Reduction reduction = reduction_of(site, image);
  if (!reduction.combine)
    raise(w, op, lane, CUDA_ERROR_ILLEGAL_INSTRUCTION, "invalid surface format",
          "the surface has another format; expected one channel of 32-bit integers");
  const uint32_t word = w.at<uint32_t>(site.values[0])[lane];
  reduction.combine(to, reinterpret_cast<const std::byte*>(&word));
}

}  // namespace

void access_formatted(Warp& w, const Op& op) {
  const ImageSite& site = w.frame->function->images[op.target];
  NamedImage named(w, op, site);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const Image& image = named.of(lane).image;
    const uint32_t bytes = image.texel_bytes();
    std::byte* texel =
        surface_bytes(w, op, site, image, lane, surface_place(w, site, image, lane, bytes), bytes);
    if (!texel) continue;
    if (site.op == Opcode::sured_p)
      reduce(w, op, site, image, lane, texel);
    else
      store(w, site, image, lane, texel);
  }
}

}  // namespace cucore::cpu
