// SPDX-License-Identifier: Apache-2.0
#include "driver/broken_capture.hpp"

#include <array>
#include <cstddef>
#include <mutex>
#include <new>

#include "support/concat.hpp"

namespace cucore::driver {
namespace {

// The last few failures. A capture that was broken before them has no cause in its message.
struct Failures {
  static constexpr size_t KEPT = 16;
  std::mutex mutex;
  uint64_t count = 0;
  std::array<std::string, KEPT> texts;
};

Failures& failures() {
  // never destroyed: no work at exit; without memory of its own, because callers cannot fail
  alignas(Failures) static std::byte place[sizeof(Failures)];
  static auto* const all = new (place) Failures;
  return *all;
}

bool breaks_captures(CUresult result) {
  return result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED ||
         result == CUDA_ERROR_STREAM_CAPTURE_MERGE ||
         result == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED ||
         result == CUDA_ERROR_STREAM_CAPTURE_ISOLATION ||
         result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || result == CUDA_ERROR_CAPTURED_EVENT;
}

}  // namespace

void note_capture_failure(CUresult result, std::string_view what) noexcept try {
  if (!breaks_captures(result)) return;
  std::string text = concat(name_of(result), ", in the attempt to ", what);
  Failures& all = failures();
  const std::lock_guard lock(all.mutex);
  all.texts[all.count % Failures::KEPT] = std::move(text);
  ++all.count;
} catch (const std::exception&) {
  return;  // the message of the capture is shorter
}

uint64_t capture_failures() noexcept {
  Failures& all = failures();
  const std::lock_guard lock(all.mutex);
  return all.count;
}

std::string capture_failure_since(uint64_t number) {
  Failures& all = failures();
  const std::lock_guard lock(all.mutex);
  if (number >= all.count || all.count - number > Failures::KEPT) return {};
  return all.texts[number % Failures::KEPT];
}

}  // namespace cucore::driver
