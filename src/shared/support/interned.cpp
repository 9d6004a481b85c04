// SPDX-License-Identifier: Apache-2.0
#include "support/interned.hpp"

#include <memory>
#include <mutex>
#include <set>

#include "support/per_process.hpp"

namespace cucore {
namespace {

struct Texts {
  std::mutex mutex;
  std::set<std::string> kept;
};

// The child of a fork has its own set, because another thread may have been inside the parent's.
Texts& texts() {
  static auto* texts = new PerProcess<std::unique_ptr<Texts>>;
  return *texts->get([] { return std::make_unique<Texts>(); });
}

}  // namespace

const char* interned(const std::string& text) {
  Texts& shared = texts();
  std::lock_guard lock(shared.mutex);
  return shared.kept.insert(text).first->c_str();
}

}  // namespace cucore
