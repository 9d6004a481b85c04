// SPDX-License-Identifier: Apache-2.0
// The streams that the program can capture, because it has their native handles. A wait for the
// whole context breaks a capture of any of them.
#pragma once

#include "core/objects/stream.hpp"

namespace cucore::core {

// Adds a stream that the program made, or whose handle it takes. Returns false if memory for the
// stream is exhausted; a wait for the context may then break its capture.
bool add_capturable(const Stream& stream) noexcept;

// Removes a stream before its destruction.
void remove_capturable(const Stream& stream) noexcept;

// Returns whether a known stream of the context, which must be current, is captured. Breaks no
// capture.
bool is_any_captured(const driver::CudaTable& cu, const Context& context) noexcept;

}  // namespace cucore::core
