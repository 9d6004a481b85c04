// SPDX-License-Identifier: Apache-2.0
// The numbers in texels. CUDA documents no rounding; the rules are those of an H200.
#include "cpu/exec/texel_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cpu/exec/halves.hpp"
#include "cpu/exec/srgb_values.hpp"

namespace cucore::cpu {
namespace {

constexpr double UNSIGNED_MOST = 65535, SIGNED_MOST = 32767;

constexpr double SRGB_ONE = 32768;  // the unit of SRGB_VALUES

float linear_of(uint32_t encoded) { return float(SRGB_VALUES[encoded & 255]) / float(SRGB_ONE); }

bool is_unsigned_fraction(ChannelFormat format) {
  return format == ChannelFormat::U8 || format == ChannelFormat::U16;
}

bool is_signed_fraction(ChannelFormat format) {
  return format == ChannelFormat::S8 || format == ChannelFormat::S16;
}

bool is_fraction(ChannelFormat format) {
  return is_unsigned_fraction(format) || is_signed_fraction(format);
}

// Integers of 8 and 16 bits become fractions of their largest value.
float real_channel(ChannelFormat format, uint32_t raw) {
  switch (format) {
    case ChannelFormat::U8:
      return float(raw) / 255.0f;
    case ChannelFormat::U16:
      return float(raw) / 65535.0f;
    case ChannelFormat::S8:
      return std::max(float(int8_t(raw)) / 127.0f, -1.0f);
    case ChannelFormat::S16:
      return std::max(float(int16_t(raw)) / 32767.0f, -1.0f);
    case ChannelFormat::HALF:
      return float(Half::to(uint16_t(raw)));
    default:
      return std::bit_cast<float>(raw);
  }
}

// Rounds to a number of significant bits; ties go away from zero. Subnormal numbers of
// f32 become 0.
double rounded(double value, int bits, int least_exponent) {
  if (!std::isfinite(value)) return value;
  if (std::fabs(value) < double{std::numeric_limits<float>::min()})
    return std::copysign(0.0, value);
  const int last = std::max(std::ilogb(value), least_exponent) - (bits - 1);
  return std::copysign(std::ldexp(std::floor(std::ldexp(std::fabs(value), -last) + 0.5), last),
                       value);
}

// Returns the nearest fraction of `most`; a NaN counts as 0.
uint32_t fraction_bits(float value, double least, double most) {
  const double inside = value == value ? std::clamp(double{value}, least, 1.0) : 0;
  return uint32_t(int32_t(std::floor(inside * most + 0.5)));
}

// The lower byte of a signed byte comes from the upper one, without 4 bits of the sum.
double widened(double upper) { return upper + std::floor(upper / 16) * 257 / 2048; }

bool is_encoded(const ImageObject& o, unsigned channel) { return o.sampler.is_srgb && channel < 3; }

double signed_fraction(double number) {
  return std::max(std::floor(number + 0.5), -SIGNED_MOST) / SIGNED_MOST;
}

// Returns the bits below the first one of the largest number that a sum keeps.
int kept_bits(const ImageObject& o, unsigned channel) {
  if (is_encoded(o, channel)) return 7;
  return o.image.format == ChannelFormat::HALF ? 14 : 27;
}

// Eight sRGB values that follow each other have the exponent of the last one in a sum.
double with_exponent(double linear) {
  const auto encoded = std::ranges::lower_bound(SRGB_VALUES, linear * SRGB_ONE);
  return SRGB_VALUES[size_t(encoded - SRGB_VALUES.begin()) | 7] / SRGB_ONE;
}

}  // namespace

bool yields_integers(const ImageObject& o) {
  if (!is_integer(o.image.format)) return false;
  return o.sampler.reads_integers || channel_bytes(o.image.format) == 4;
}

uint32_t channel_word(const ImageObject& o, uint32_t raw, unsigned channel) {
  const ChannelFormat format = o.image.format;
  if (yields_integers(o)) {
    if (format == ChannelFormat::S8) return uint32_t(int32_t(int8_t(raw)));
    if (format == ChannelFormat::S16) return uint32_t(int32_t(int16_t(raw)));
    return raw;
  }
  return std::bit_cast<uint32_t>(is_encoded(o, channel) ? linear_of(raw)
                                                        : real_channel(format, raw));
}

uint32_t border_channel(const ImageObject& o, unsigned channel) {
  const float value = o.sampler.border[channel];
  const uint32_t unused = 32 - 8 * channel_bytes(o.image.format);
  if (yields_integers(o)) return std::bit_cast<uint32_t>(value) << unused >> unused;
  switch (o.image.format) {
    case ChannelFormat::U8:
      return fraction_bits(value, 0, 255);
    case ChannelFormat::U16:
      return fraction_bits(value, 0, UNSIGNED_MOST);
    case ChannelFormat::S8:
      return fraction_bits(value, -1, 127);
    case ChannelFormat::S16:
      return fraction_bits(value, -1, SIGNED_MOST);
    case ChannelFormat::HALF:
      return Half::from(double{value});
    default:
      return std::bit_cast<uint32_t>(value);
  }
}

double channel_number(const ImageObject& o, uint32_t raw, unsigned channel) {
  if (is_encoded(o, channel)) return double{linear_of(raw)};
  switch (o.image.format) {
    case ChannelFormat::U8:
      return double(raw * 257);
    case ChannelFormat::U16:
      return double(raw);
    case ChannelFormat::S8:
      return double(int8_t(raw)) * 256;
    case ChannelFormat::S16:
      return double(int16_t(raw));
    default:
      return double{real_channel(o.image.format, raw)};
  }
}

void end_at_one_bit(const ImageObject& o, unsigned channel, std::span<double> numbers) {
  if (is_fraction(o.image.format) && !is_encoded(o, channel)) return;
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::fabs(number));
  if (largest == 0 || !std::isfinite(largest)) return;
  if (is_encoded(o, channel)) largest = with_exponent(largest);
  const double bit = std::ldexp(1.0, std::ilogb(largest) - kept_bits(o, channel));
  for (double& number : numbers) number = std::trunc(number / bit) * bit;
}

uint32_t filtered_word(const ImageObject& o, double sum, unsigned channel) {
  const ChannelFormat format = o.image.format;
  double value = 0;
  if (is_encoded(o, channel) || format == ChannelFormat::HALF)
    value = rounded(sum, 11, -14);
  else if (is_unsigned_fraction(format))
    value = std::floor(sum + 0.5) / UNSIGNED_MOST;
  else if (is_signed_fraction(format))
    value = signed_fraction(format == ChannelFormat::S8 ? widened(sum) : sum);
  else
    value = rounded(sum, 24, -126);
  return std::bit_cast<uint32_t>(float(value));
}

uint32_t gathered_word(const ImageObject& o, uint32_t raw, unsigned channel) {
  const bool is_plain = yields_integers(o) || is_encoded(o, channel);
  return is_fraction(o.image.format) && !is_plain
             ? filtered_word(o, channel_number(o, raw, channel), channel)
             : channel_word(o, raw, channel);
}

}  // namespace cucore::cpu
