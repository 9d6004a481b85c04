#include "driver/interned.hpp"

#include <mutex>
#include <set>

#include "driver/process_state.hpp"

namespace cucore::driver {
namespace {

struct Texts {
  ForkSafeMutex mutex;
  std::set<std::string> kept;
};

Texts& texts() {
  static auto* texts = new Texts;
  return *texts;
}

}  // namespace

const char* interned(const std::string& text) {
  Texts& shared = texts();
  std::lock_guard lock(shared.mutex);
  return shared.kept.insert(text).first->c_str();
}

}  // namespace cucore::driver
