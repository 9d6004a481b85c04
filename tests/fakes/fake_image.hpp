// SPDX-License-Identifier: Apache-2.0
// Reads the images for the fakes with minimal parsers, and writes small ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fake {

struct KernelImage {
  std::string name;
  std::vector<size_t> offsets;
  std::vector<size_t> sizes;
  std::vector<bool> pointers = {};  // per parameter, for a kernel of source
};

struct GlobalImage {
  std::string name;
  size_t size = 0;
  bool managed = false;
};

struct Image {
  enum Kind { INVALID, PTX, CUBIN, FATBIN };
  Kind kind = INVALID;
  int ptx_version = 0;  // 90 for .version 9.0
  std::vector<KernelImage> kernels;
  std::vector<GlobalImage> globals;
};

// Reads an image as the driver receives it: by its address alone.
Image read_image(const void* code);

Image read_ptx(const std::string& text);

// Returns a machine-code file with these kernels (no code), their parameters and these variables.
std::string write_cubin(const Image& image, int arch);

// Lays out parameters of these sizes as the compiler would, each aligned to its size up to 16.
KernelImage laid_out(const std::string& name, const std::vector<size_t>& sizes);

}  // namespace fake
