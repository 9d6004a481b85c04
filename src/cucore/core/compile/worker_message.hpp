// SPDX-License-Identifier: Apache-2.0
// The messages between this process and its workers.
#pragma once

#include <optional>
#include <string>

#include "core/compile/nvrtc_job.hpp"
#include "support/error.hpp"

namespace cucore::core {

// The exit status of a worker that cannot use its socket, plus the reason as in errno.
inline constexpr int SOCKET_FAILED = 128;

// A message consists of its size and its bytes.
std::string pack(const NvrtcJob& job);
std::string pack(const NvrtcResult& result);
std::string pack(const Error& error);

// Returns nullopt for bytes that are not a message of that kind.
std::optional<NvrtcJob> unpack_job(std::string_view message);

// Returns the result of a job with that many expressions, or throws the error of the worker. Throws
// INTERNAL for anything else.
NvrtcResult unpack_result(std::string_view message, size_t name_count);

}  // namespace cucore::core
