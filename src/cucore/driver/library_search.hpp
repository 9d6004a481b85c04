// SPDX-License-Identifier: Apache-2.0
// Finds and opens a shared library in the documented order, and remembers every attempt, so that a
// user who has the library somewhere else learns at once where it was looked for.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::driver {

// What a search has opened; the handle is never closed.
struct OpenedLibrary {
  void* handle = nullptr;
  std::string path;
  explicit operator bool() const noexcept { return handle != nullptr; }
};

class LibrarySearch {
 public:
  // Looks at a library just opened; "" takes it, anything else is why not, and the search goes on.
  using Accept = std::function<std::string(const OpenedLibrary& library)>;

  // `title`: of what is searched for, "NVRTC". A search throws IO if no file can be opened: nothing
  // would be found then, and the failure would blame the places.
  LibrarySearch(std::string title, Accept accept)
      : title_(std::move(title)), accept_(std::move(accept)) {}

  // A file by its path, or a bare name through the system's loader. The label is how the attempt is
  // named in the message.
  OpenedLibrary open(const std::string& file, const std::string& label);
  OpenedLibrary open(const std::string& file) { return open(file, file); }

  // The first of the names that the folder has.
  OpenedLibrary open_in(const std::string& folder, std::span<const char* const> names,
                        const std::string& label);

  // A file, or a folder that has one of the names.
  OpenedLibrary open_at(const std::string& path, std::span<const char* const> names,
                        const std::string& label);

  // Only if the process has it already.
  OpenedLibrary open_loaded(const std::string& file);

  // "libnvrtc.so.13 (no such file), /opt/cuda/lib64 (no such folder)".
  std::string tried() const;

 private:
  OpenedLibrary take(void* handle, const std::string& label);
  void note(const std::string& label, const std::string& why);

  const std::string title_;
  Accept accept_;
  std::vector<std::string> tried_;
};

// A path without links; the path itself where there is no such file.
std::string real_path(const char* path);

// The real path of the file that an open library came from; "" if unknown.
std::string path_of_handle(void* handle);

bool is_folder(const std::string& path);

// "/a/b" of "/a/b/c", "c" of it.
std::string folder_of(const std::string& path);
std::string_view file_name_of(std::string_view path);

// A library that the process has loaded.
struct LoadedLibrary {
  std::string name;  // as the loader was given it; relative to the folder of that moment
  const void* code = nullptr;
  // By an absolute path; "" if it is not known.
  std::string folder() const;
};
std::vector<LoadedLibrary> loaded_libraries();

// How one of CUDA's toolkit libraries is looked for.
struct ToolkitLibrary {
  const char* title;                    // "NVRTC"
  const char* variable;                 // "CUCORE_NVRTC"
  const char* wheel;                    // its folder in NVIDIA's Python wheels for CUDA 12; or null
  std::span<const char* const> names;   // newest first; the last without a version
  std::span<const char* const> places;  // below a toolkit's root, "lib64"
  std::span<const char* const> folders = {};  // where the system's loader does not look
  const char* provider = "the CUDA toolkit";  // what installs it
  // Whether this library calls it: what it prints and the signal handlers that it sets are then
  // kept from the process.
  bool is_called = true;
};

// Searches in the documented order; throws LIBRARY_MISSING with every attempt. user_path is that of
// set_path(), or "".
OpenedLibrary find_toolkit_library(const ToolkitLibrary& library, const std::string& user_path,
                                   LibrarySearch::Accept accept);

}  // namespace cucore::driver
