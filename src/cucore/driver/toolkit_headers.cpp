// SPDX-License-Identifier: Apache-2.0
#include "driver/toolkit_headers.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "driver/library_search.hpp"
#include "driver/nvrtc.hpp"
#include "support/environment.hpp"

namespace cucore::driver {
namespace {

// NVIDIA's Python wheels for CUDA 12 have one folder each, next to that of NVRTC.
constexpr const char* WHEEL_OF_NVRTC = "cuda_nvrtc";
constexpr const char* WHEELS[] = {"cuda_runtime", "cuda_cccl", "curand"};
constexpr const char* RUNTIME_HEADER = "/cuda_fp16.h";

bool has_file(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Returns 13000 if cuda.h is of CUDA 13.0, and 0 if the folder has no cuda.h.
int version_of(const std::string& include) {
  std::ifstream file(include + "/cuda.h");
  constexpr std::string_view NAME = "#define CUDA_VERSION ";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(NAME)) return std::atoi(line.c_str() + NAME.size());
  return 0;
}

class HeaderSearch {
 public:
  // A folder, and the C++ libraries of CUDA 13 in a folder of their own below it.
  void add(const std::string& include) {
    if (std::ranges::find(found_.searched, include) != found_.searched.end()) return;
    found_.searched.push_back(include);
    if (!is_folder(include)) return;
    found_.folders.push_back(include);
    if (is_folder(include + "/cccl")) found_.folders.push_back(include + "/cccl");
  }

  bool has_runtime() const {
    return std::ranges::any_of(found_.folders, [](const std::string& folder) {
      return has_file(folder + RUNTIME_HEADER);
    });
  }

  ToolkitHeaders take() { return std::move(found_); }

 private:
  ToolkitHeaders found_;
};

}  // namespace

ToolkitHeaders find_toolkit_headers(const std::string& nvrtc_path, int version) {
  HeaderSearch search;
  const std::string root = folder_of(folder_of(nvrtc_path));
  // NVRTC would take the C library's headers from /usr/include, which are not for devices.
  if (!root.empty() && root != "/usr") search.add(root + "/include");
  if (file_name_of(root) == WHEEL_OF_NVRTC)
    for (const char* wheel : WHEELS) search.add(folder_of(root) + "/" + wheel + "/include");
  if (search.has_runtime()) return search.take();
  for (const std::string& each :
       {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    if (each.empty() || search.has_runtime()) continue;
    const std::string include = real_path((each + "/include").c_str());
    if (version_of(include) / 10 == version / 10) search.add(include);
  }
  return search.take();
}

const ToolkitHeaders& toolkit_headers() {
  const NvrtcTable& table = nvrtc();
  static const auto* found =
      new ToolkitHeaders(find_toolkit_headers(real_path(table.path.c_str()), table.version));
  return *found;
}

}  // namespace cucore::driver
