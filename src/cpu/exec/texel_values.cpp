// SPDX-License-Identifier: Apache-2.0
// The numbers in texels. CUDA documents no rounding; the rules are those of an H200.
#include "cpu/exec/texel_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cpu/exec/halves.hpp"

namespace cucore::cpu {
namespace {

constexpr double UNSIGNED_MOST = 65535, SIGNED_MOST = 32767;

float linear_of(uint32_t encoded) {
  const double fraction = double(encoded) / 255;
  return float(fraction <= 0.04045 ? fraction / 12.92 : std::pow((fraction + 0.055) / 1.055, 2.4));
}

bool is_unsigned_fraction(ChannelFormat format) {
  return format == ChannelFormat::U8 || format == ChannelFormat::U16;
}

bool is_signed_fraction(ChannelFormat format) {
  return format == ChannelFormat::S8 || format == ChannelFormat::S16;
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

// 127 becomes 32767.
double widened(int8_t value) { return std::round(double(value) * SIGNED_MOST / 127); }

// Rounds to a number of significant bits; ties go away from zero.
double rounded(double value, int bits, int least_exponent) {
  if (!std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = std::max(exponent - 1, least_exponent) - (bits - 1);
  return std::copysign(std::ldexp(std::floor(std::ldexp(std::fabs(value), -last) + 0.5), last),
                       value);
}

// A channel of a fraction's border is one of its values.
float border_channel(const ImageObject& o, unsigned channel) {
  const float value = o.sampler.border[channel];
  if (yields_integers(o)) return value;
  if (is_unsigned_fraction(o.image.format)) return std::clamp(value, 0.0f, 1.0f);
  if (is_signed_fraction(o.image.format)) return std::clamp(value, -1.0f, 1.0f);
  return value;
}

bool is_encoded(const ImageObject& o, unsigned channel) { return o.sampler.is_srgb && channel < 3; }

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

uint32_t border_word(const ImageObject& o, unsigned channel) {
  return std::bit_cast<uint32_t>(border_channel(o, channel));
}

double channel_number(const ImageObject& o, uint32_t raw, unsigned channel) {
  switch (o.image.format) {
    case ChannelFormat::U8:
      if (is_encoded(o, channel)) return double{linear_of(raw)} * UNSIGNED_MOST;
      return double(raw * 257);
    case ChannelFormat::U16:
      return double(raw);
    case ChannelFormat::S8:
      return widened(int8_t(raw));
    case ChannelFormat::S16:
      return double(int16_t(raw));
    default:
      return double{real_channel(o.image.format, raw)};
  }
}

double border_number(const ImageObject& o, unsigned channel) {
  const double value = double{border_channel(o, channel)};
  if (is_unsigned_fraction(o.image.format)) return std::floor(value * UNSIGNED_MOST + 0.5);
  if (is_signed_fraction(o.image.format)) return std::floor(value * SIGNED_MOST + 0.5);
  return value;
}

uint32_t filtered_word(const ImageObject& o, double sum) {
  const ChannelFormat format = o.image.format;
  double value = 0;
  if (is_unsigned_fraction(format))
    value = std::floor(sum + 0.5) / UNSIGNED_MOST;
  else if (is_signed_fraction(format))
    value = std::max(std::floor(sum + 0.5), -SIGNED_MOST) / SIGNED_MOST;
  else
    value = format == ChannelFormat::HALF ? rounded(sum, 11, -14) : rounded(sum, 24, -126);
  return std::bit_cast<uint32_t>(float(value));
}

}  // namespace cucore::cpu
