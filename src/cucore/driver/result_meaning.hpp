// SPDX-License-Identifier: Apache-2.0
// The meaning of the results of one of CUDA's libraries, from the rows of its error map.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "support/error.hpp"

namespace cucore::driver {

template <class Result>
struct Meaning {
  Result result;
  const char* name;
  Status status;
  const char* advice;
};

// Returns null for a result that the map lacks.
template <class Result, size_t N>
const Meaning<Result>* find_meaning(const Meaning<Result> (&meanings)[N], Result result) noexcept {
  const auto* found = std::ranges::find_if(
      meanings, [result](const Meaning<Result>& meaning) { return meaning.result == result; });
  return found == std::end(meanings) ? nullptr : found;
}

// The results of a library of the toolkit, whose success is 0.
template <class Result, size_t N>
struct ToolkitResults {
  const char* origin;   // "nvrtc", in errors
  const char* type;     // "nvrtcResult", before the number of a result without a row
  const char* success;  // "NVRTC_SUCCESS"
  Status otherwise;     // of a result without a row
  const Meaning<Result> (&meanings)[N];

  Status status_of(Result result) const noexcept {
    if (result == Result{}) return Status::OK;
    const auto* meaning = find_meaning(meanings, result);
    return meaning ? meaning->status : otherwise;
  }

  std::string name_of(Result result) const {
    if (result == Result{}) return success;
    const auto* meaning = find_meaning(meanings, result);
    return meaning ? meaning->name : std::string(type) + " " + std::to_string(result);
  }

  void check(Result result, std::string_view what, std::string log) const {
    if (result == Result{}) return;
    const auto* meaning = find_meaning(meanings, result);
    std::string name = name_of(result);
    std::string message = std::string(what) + ": " + name;
    if (meaning && *meaning->advice) message += std::string("; ") + meaning->advice;
    throw Error(status_of(result), std::move(message), std::move(log),
                {origin, static_cast<int32_t>(result), std::move(name)});
  }
};

// clang 14 does not deduce it.
template <class Result, size_t N>
ToolkitResults(const char*, const char*, const char*, Status, const Meaning<Result> (&)[N])
    -> ToolkitResults<Result, N>;

}  // namespace cucore::driver
