// SPDX-License-Identifier: Apache-2.0
// Checks the signature of a container against the policy and the keys of the reader.
#pragma once

#include "container/reader.hpp"
#include "container/table.hpp"

namespace cucore::container {

// @throws Error SIGNATURE, or INVALID_CODE for a malformed section
SignatureInfo check_signature(const Table& table, const ReadOptions& options);

}  // namespace cucore::container
