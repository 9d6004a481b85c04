// SPDX-License-Identifier: Apache-2.0
// The texture and surface objects that the lanes of a warp name.
#pragma once

#include <string>

#include "cpu/exec/block.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/image.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

// Finds the object of each lane. Most warps name one object, so the last one is kept.
class NamedImage {
 public:
  NamedImage(const Warp& w, const Op& op, const ImageSite& site) : w_(w), op_(op), site_(site) {}

  // Throws KernelFault unless the handle has an object of this kind and geometry on this device.
  const ImageObject& of(int lane) {
    const uint64_t handle = site_.object.of(w_, lane);
    if (object_ && handle == handle_) return *object_;
    object_ = find_image(handle);
    handle_ = handle;
    check(lane);
    return *object_;
  }

 private:
  void check(int lane) const;
  [[noreturn]] void fail(int lane, const std::string& what) const;

  const Warp& w_;
  const Op& op_;
  const ImageSite& site_;
  uint64_t handle_ = 0;
  std::shared_ptr<const ImageObject> object_;
};

}  // namespace cucore::cpu
