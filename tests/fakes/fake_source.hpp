// SPDX-License-Identifier: Apache-2.0
// Reads the kernels of CUDA C++ source with a minimal parser, for the fake compiler.
#pragma once

#include <string>
#include <vector>

#include "fakes/fake_image.hpp"

namespace fake {

struct SourceKernel {
  std::string name;
  std::vector<std::string> parameters;  // their types
  bool is_template = false;
  bool is_extern_c = false;
  size_t block_size = 0;  // of a parameter of the type Parameters
};

std::vector<SourceKernel> find_kernels(const std::string& source);

// Returns a name in the style of the compiler: "saxpy<float>" becomes "_Z5saxpyIfLE...".
std::string lowered(const SourceKernel& kernel, const std::string& expression);

// NEVER: one compiler writes all PTX. FROM_100: an older one writes PTX for targets below 100, and
// the one for later targets marks pointers.
enum class Marks { NEVER, FROM_100 };

// Returns the PTX of kernels under these names.
std::string write_ptx(const Image& image, int arch, Marks marks = Marks::NEVER);

KernelImage image_of(const SourceKernel& kernel, const std::string& lowered_name);

}  // namespace fake
