// SPDX-License-Identifier: Apache-2.0
// Arrays and texture objects of a driver.
#pragma once

#include "../ops/driver.hpp"
#include "case.hpp"

namespace cucore::cpu::textures {

// The memory and the texture object of a row; both end with this object.
class Image {
 public:
  Image(const std::string& driver_path, const Case& row, const Texels& texels);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  // Returns the texture object, or the surface object of a row that needs one.
  unsigned long long object() const { return surface_ ? surface_ : texture_; }

 private:
  template <class Function>
  Function symbol(const char* name) const;
  void check(CUresult result, const char* what) const;
  void make_array(const Case& row, const Texels& texels);
  void make_buffer(const Case& row, const Texels& texels);
  void fill(CUarray array, const Case& row, unsigned level, const std::vector<uint8_t>& texels);

  void* library_ = nullptr;
  CUDA_RESOURCE_DESC resource_ = {};
  CUarray array_ = nullptr;
  CUmipmappedArray levels_ = nullptr;
  CUdeviceptr memory_ = 0;
  CUtexObject texture_ = 0;
  CUsurfObject surface_ = 0;
};

}  // namespace cucore::cpu::textures
