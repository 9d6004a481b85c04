// SPDX-License-Identifier: Apache-2.0
// The channels of texels and of the border: as words of a result, and as the numbers that a filter
// weighs.
#pragma once

#include <cstdint>

#include "cpu/exec/image.hpp"

namespace cucore::cpu {

// Returns true for results that are integers. Such results have no filter.
bool yields_integers(const ImageObject& object);

// `raw` has the bits of a channel.
uint32_t channel_word(const ImageObject& object, uint32_t raw, unsigned channel);
uint32_t border_word(const ImageObject& object, unsigned channel);

// Integers of 8 and 16 bits have the scale of 16 bits in a filter: 65535 or 32767 is 1.
double channel_number(const ImageObject& object, uint32_t raw, unsigned channel);
double border_number(const ImageObject& object, unsigned channel);
// Rounds a weighted sum of such numbers to the precision of the format; ties go away from zero.
uint32_t filtered_word(const ImageObject& object, double sum);

}  // namespace cucore::cpu
