// SPDX-License-Identifier: Apache-2.0
#include "core/compile/missing_header.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "support/concat.hpp"
#include "support/join.hpp"

namespace cucore::core {
namespace {

// The packages of the headers, by how their names begin. {Debian and RPM package, Python wheel}.
struct Package {
  std::string_view begin, package, wheel;
};
constexpr Package PACKAGES[] = {
    {"cub/", "cuda-cccl", "nvidia-cuda-cccl"},
    {"cuda/", "cuda-cccl", "nvidia-cuda-cccl"},
    {"nv/target", "cuda-cccl", "nvidia-cuda-cccl"},
    {"thrust/", "cuda-cccl", "nvidia-cuda-cccl"},
    {"crt/", "cuda-crt", "nvidia-cuda-crt"},
    {"curand", "libcurand-dev", "nvidia-curand"},
    {"builtin_types.h", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"cooperative_groups", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"cuComplex.h", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"cuda", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"device_", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"driver_types.h", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"math_constants.h", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"mma.h", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"sm_", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"surface_", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"texture_", "cuda-cudart-dev", "nvidia-cuda-runtime"},
    {"vector_", "cuda-cudart-dev", "nvidia-cuda-runtime"},
};

const Package* package_of(std::string_view header) {
  const auto* found = std::ranges::find_if(
      PACKAGES, [&](const Package& each) { return header.starts_with(each.begin); });
  return found == std::end(PACKAGES) ? nullptr : found;
}

// "cuda/std/cstdint" for the host's <stdint.h> and <cstdint>, if the toolkit has it.
std::string device_header(std::string_view host, const driver::ToolkitHeaders& toolkit) {
  std::string name(host);
  if (name.ends_with(".h")) name = "c" + name.substr(0, name.size() - 2);
  if (name.find('/') != name.npos) return {};
  for (const std::string& folder : toolkit.folders) {
    struct stat status;
    const std::string found = "cuda/std/" + name;
    if (stat((folder + "/" + found).c_str(), &status) == 0) return found;
  }
  return {};
}

}  // namespace

std::string_view missing_header(std::string_view log) {
  constexpr std::string_view TEXT = " open source file \"";  // "cannot" or "could not" before
  const size_t found = log.find(TEXT);
  if (found == log.npos) return {};
  const size_t begin = found + TEXT.size();
  const size_t end = log.find('"', begin);
  return end == log.npos ? std::string_view() : log.substr(begin, end - begin);
}

std::string header_remedy(std::string_view header, const driver::ToolkitHeaders& toolkit,
                          bool uses_toolkit, int version) {
  if (const Package* package = package_of(header)) {
    if (!uses_toolkit)
      return concat("; ", header, " is a header of the CUDA toolkit, and ",
                    "cucore_program_options.toolkit_headers is OFF: leave it at its default");
    return concat("; ", header, " is a header of the CUDA toolkit; searched ",
                  toolkit.searched.empty() ? "no folder" : join(toolkit.searched, ", "),
                  ": install ", package->package, "-", version / 1000, "-", version % 1000 / 10,
                  " (Debian, RPM) or ", package->wheel, " (Python), or set ",
                  "cucore_program_options.include_paths to its folder");
  }
  if (const std::string device = device_header(header, toolkit); !device.empty())
    return concat("; ", header, " is a header of the host: include <", device, "> in device code");
  return concat("; set cucore_program_options.include_paths to the folder of ", header,
                ", or pass its text as a header in memory");
}

}  // namespace cucore::core
