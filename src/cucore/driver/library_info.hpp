// SPDX-License-Identifier: Apache-2.0
// The user's view of the libraries opened at run time, and the user's search paths.
#pragma once

#include <string_view>

namespace cucore::driver {

enum class Library {
  DRIVER = 1,
  NVRTC = 2,
  NVJITLINK = 3,
  NVVM = 4,
  CUBLAS = 5,
  CUBLASLT = 6,
  CUFFT = 7,
  CUSOLVER = 8,
  CURAND = 9,
  CUSPARSE = 10,
  NCCL = 11,
  CUPTI = 12,
  NVML = 13
};

// Strings live until the process ends.
struct LibraryInfo {
  const char* path = "";  // the file in use, "" while unavailable
  int version_major = 0;
  int version_minor = 0;
  bool available = false;
  const char* reason = "";          // why it is unavailable, with every path tried
  const char* header_folders = "";  // of NVRTC: the toolkit's, with ':' between them
};

// Opens the library if it is not open yet; a missing library does not fail the call.
LibraryInfo query(Library library);

// Sets a file or a folder to try after the system's search path and before CUDA_HOME; it need not
// exist yet. Throws INVALID_STATE once the library is open, INVALID_ARGUMENT for the driver.
void set_path(Library library, std::string_view path);

// Returns the address of an exported function; opens the library if it is not open yet. Throws
// NOT_FOUND if the library lacks the function.
void* find_symbol(Library library, const char* name);

}  // namespace cucore::driver
