// SPDX-License-Identifier: Apache-2.0
#include "core/objects/capturable_streams.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "core/objects/capture_session.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {
namespace {

struct Capturable {
  std::mutex mutex;
  std::vector<const Stream*> streams;
};

Capturable& capturable() {
  static auto* all = new Capturable;  // never destroyed: no work at exit
  return *all;
}

bool is_default(const Stream& stream) {
  return stream.kind() == Stream::Kind::LEGACY || stream.kind() == Stream::Kind::PER_THREAD;
}

}  // namespace

bool add_capturable(const Stream& stream) noexcept try {
  if (is_default(stream) || driver::forked()) return true;
  Capturable& all = capturable();
  const std::lock_guard lock(all.mutex);
  if (std::ranges::find(all.streams, &stream) == all.streams.end()) all.streams.push_back(&stream);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void remove_capturable(const Stream& stream) noexcept {
  if (is_default(stream) || driver::forked()) return;
  Capturable& all = capturable();
  const std::lock_guard lock(all.mutex);
  std::erase(all.streams, &stream);
}

// The legacy stream stands for all blocking streams, including default streams of threads.
bool is_any_captured(const driver::CudaTable& cu, const Context& context) noexcept {
  if (driver::is_captured(cu, CU_STREAM_LEGACY)) return true;
  Capturable& all = capturable();
  {
    const std::lock_guard lock(all.mutex);
    const bool is_found = std::ranges::any_of(all.streams, [&](const Stream* stream) {
      return stream->context().get() == &context && driver::is_captured(cu, stream->native());
    });
    if (is_found) return true;
  }
  return has_capture(cu, context);  // of a fork, which the program has not captured itself
}

}  // namespace cucore::core
