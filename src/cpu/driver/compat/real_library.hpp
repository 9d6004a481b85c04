// SPDX-License-Identifier: Apache-2.0
// Opens the library of NVIDIA that a library of this folder replaces.
#pragma once

#include <atomic>

namespace cucore::compat {

// Describes one library to the search. The build defines the file name.
struct Wanted {
  const char* variable;     // names the file or its folder: "CUCORE_NVRTC"
  const char* file;         // "libnvrtc.so.13"
  const char* linker_name;  // "libnvrtc.so"
};

class RealLibrary {
 public:
  constexpr explicit RealLibrary(const Wanted& wanted) : wanted_(wanted) {}

  // Opens the library at the first call; nullptr if it or the function is missing.
  void* function(const char* name);

 private:
  void* handle();

  const Wanted wanted_;
  std::atomic<void*> handle_{nullptr};
};

}  // namespace cucore::compat
