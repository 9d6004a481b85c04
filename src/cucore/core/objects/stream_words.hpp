// SPDX-License-Identifier: Apache-2.0
// Words in memory that a stream writes or waits for.
#pragma once

#include <cucore.h>

#include "core/objects/buffer.hpp"

namespace cucore::core {

// Throws INVALID_ARGUMENT unless the buffer has such a word and the value fits it.
void require_word(const Buffer& buffer, size_t offset, uint64_t value, size_t size);

// Throws unless the driver has succeeded. `action` is "write".
void check_word(CUresult result, const char* action, const Buffer& buffer, size_t size);

// Returns the driver's flags of a comparison.
unsigned wait_flags(cucore_comparison comparison);

void write_word(const Stream& stream, const Buffer& buffer, size_t offset, uint64_t value,
                size_t size);
void wait_for_word(const Stream& stream, const Buffer& buffer, size_t offset, uint64_t value,
                   size_t size, cucore_comparison comparison);

}  // namespace cucore::core
