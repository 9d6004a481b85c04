// SPDX-License-Identifier: Apache-2.0
// The channels of texels and of the border: as words of a result, and as the numbers that a filter
// weighs.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/exec/image.hpp"

namespace cucore::cpu {

// Returns true for results that are integers. Such results have no filter.
bool yields_integers(const ImageObject& object);

// `raw` has the bits of a channel.
uint32_t channel_word(const ImageObject& object, uint32_t raw, unsigned channel);
// Returns the bits of the border in the format. Those of integers are the low bits of its words.
uint32_t border_channel(const ImageObject& object, unsigned channel);

// Integers of 8 and 16 bits have the scale of 16 bits in a filter: 65535 or 32767 is 1. A signed
// byte is the upper one of these.
double channel_number(const ImageObject& object, uint32_t raw, unsigned channel);
// Drops the bits of such numbers that are far below the largest one: a sum has no place for them.
void end_at_one_bit(const ImageObject& object, unsigned channel, std::span<double> numbers);
// Rounds a weighted sum of such numbers to the precision of the format; ties go away from zero.
uint32_t filtered_word(const ImageObject& object, double sum, unsigned channel);
// Returns the result for one texel of a filter.
uint32_t gathered_word(const ImageObject& object, uint32_t raw, unsigned channel);

}  // namespace cucore::cpu
