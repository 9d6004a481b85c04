// SPDX-License-Identifier: Apache-2.0
// The exact build of NVRTC. Its API reports only major and minor, and two builds of one minor may
// generate different code; the PTX that it writes contains the build.
#include <mutex>

#include "driver/nvrtc.hpp"
#include "driver/process_state.hpp"

namespace cucore::driver {
namespace {

class EmptyProgram {
 public:
  explicit EmptyProgram(const NvrtcTable& nvrtc) : nvrtc_(nvrtc) {
    check(nvrtc.nvrtcCreateProgram(&program_, "\n", "build", 0, nullptr, nullptr), ATTEMPT);
  }
  ~EmptyProgram() { nvrtc_.nvrtcDestroyProgram(&program_); }
  EmptyProgram(const EmptyProgram&) = delete;
  EmptyProgram& operator=(const EmptyProgram&) = delete;

  std::string ptx() {
    check(nvrtc_.nvrtcCompileProgram(program_, 0, nullptr), ATTEMPT);
    size_t size = 0;
    check(nvrtc_.nvrtcGetPTXSize(program_, &size), ATTEMPT);
    std::string text(size, '\0');
    check(nvrtc_.nvrtcGetPTX(program_, text.data()), ATTEMPT);
    return text;
  }

 private:
  static constexpr const char* ATTEMPT = "ask NVRTC for its build with an empty program";
  const NvrtcTable& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

// Returns the word that begins with the mark: "V13.0.88" in "release 13.0, V13.0.88".
std::string word_at(const std::string& text, const std::string& before, const std::string& mark) {
  const size_t line = text.find(before);
  const size_t start = line == std::string::npos ? line : text.find(mark, line);
  if (start == std::string::npos) return {};
  return text.substr(start, text.find_first_of(" \r\n\t,", start) - start);
}

std::string build_in(const std::string& ptx, const std::string& otherwise) {
  const std::string version = word_at(ptx, "Cuda compilation tools", "V");
  const std::string change = word_at(ptx, "Compiler Build ID", "CL-");
  if (version.empty()) return otherwise;
  return change.empty() ? version : version + " " + change;
}

struct Cached {
  ForkSafeMutex mutex;
  std::string build;
};

Cached& cached() {
  static auto* cached = new Cached;
  return *cached;
}

}  // namespace

std::string nvrtc_build() {
  const NvrtcTable& table = nvrtc();
  Cached& shared = cached();
  std::lock_guard lock(shared.mutex);
  if (shared.build.empty())
    shared.build = build_in(EmptyProgram(table).ptx(), "V" + std::to_string(table.version));
  return shared.build;
}

}  // namespace cucore::driver
