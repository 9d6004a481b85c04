// SPDX-License-Identifier: Apache-2.0
// A fake library for a test: opened by its path, with every control function as a member.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "fakes/fake_control.h"

namespace fake {

class Client {
 public:
  // Stays open: the library under test never closes it either.
  explicit Client(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error(dlerror());
#define CONTROL(name) \
  name = reinterpret_cast<decltype(&::fake_##name)>(dlsym(handle_, "fake_" #name));
#include "fakes/fake_control.inc"
#undef CONTROL
  }

#define CONTROL(name) decltype(&::fake_##name) name = nullptr;
#include "fakes/fake_control.inc"
#undef CONTROL

  // The names of all calls since the reset, in order.
  std::vector<std::string> log() const {
    std::vector<std::string> names;
    for (uint64_t i = 0; i < log_size(); ++i) names.emplace_back(log_at(i));
    return names;
  }

 private:
  void* handle_;
};

// Returns the folder with all fakes; the build sets it for every test that uses them.
inline std::string folder() {
  const char* folder = std::getenv("FAKE_FOLDER");
  if (!folder) throw std::runtime_error("FAKE_FOLDER is not set: run the tests through meson");
  return folder;
}

inline std::string path(const std::string& name) { return folder() + "/" + name + ".so"; }

}  // namespace fake
