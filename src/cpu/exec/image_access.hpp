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
  NamedImage(Warp& w, const Op& op, const ImageSite& site) : w_(w), op_(op), site_(site) {}

  // Throws KernelFault unless the handle has an object of this kind and geometry on this device.
  const ImageObject& of(int lane) {
    const uint64_t handle = site_.object.of(w_, lane);
    const uint64_t sampler = site_.has_sampler ? site_.sampler.of(w_, lane) : 0;
    if (object_ && handle == handle_ && sampler == sampler_) return *object_;
    handle_ = handle;
    sampler_ = sampler;
    object_ = find(lane, handle);
    check(lane);
    if (site_.has_sampler) combine(lane, sampler);
    return *object_;
  }
  // Returns the sampler of the lane: one of the kinds that `tex` accepts, or of a query.
  Sampler sampler_of(int lane, uint64_t handle);

 private:
  // Returns the object with this handle, or the one that a variable at this address contains.
  std::shared_ptr<const ImageObject> find(int lane, uint64_t handle);
  std::byte* content(int lane, uint64_t variable);
  void combine(int lane, uint64_t sampler);
  void check(int lane) const;
  [[noreturn]] void fail(int lane, const std::string& what) const;

  Warp& w_;
  const Op& op_;
  const ImageSite& site_;
  uint64_t handle_ = 0, sampler_ = 0;
  std::shared_ptr<const ImageObject> object_;
};

}  // namespace cucore::cpu
