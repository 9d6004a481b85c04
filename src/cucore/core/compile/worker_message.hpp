// SPDX-License-Identifier: Apache-2.0
// What goes through the pipes between this process and its workers.
#pragma once

#include <optional>
#include <string>

#include "core/compile/nvrtc_job.hpp"
#include "support/error.hpp"

namespace cucore::core {

// The exit status of a worker that cannot use its socket, and the reason as in errno on top.
inline constexpr int SOCKET_FAILED = 128;

// A message is its size and its bytes.
std::string pack(const NvrtcJob& job);
std::string pack(const NvrtcResult& result);
std::string pack(const Error& error);

// nullopt for bytes that are no message of that kind.
std::optional<NvrtcJob> unpack_job(std::string_view message);

// The result, or throws the error that the worker met. Throws INTERNAL for what is neither.
NvrtcResult unpack_result(std::string_view message);

}  // namespace cucore::core
