// SPDX-License-Identifier: Apache-2.0
// The texture and surface objects that the lanes of a warp name.
#pragma once

#include <cstring>
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
    const uint64_t handle = named(site_.object, site_.object_parameter, lane);
    const uint64_t sampler =
        site_.has_sampler ? named(site_.sampler, site_.sampler_parameter, lane) : 0;
    if (object_ && handle == handle_ && sampler == sampler_) return *object_;
    handle_ = handle;
    sampler_ = sampler;
    object_ = find(lane, handle);
    check(lane);
    if (site_.has_sampler) combine(lane, sampler);
    return *object_;
  }

 private:
  uint64_t named(const AddressSlot& slot, uint32_t parameter, int lane) const {
    if (parameter == ImageSite::NO_PARAMETER) return slot.of(w_, lane);
    uint64_t value = 0;
    std::memcpy(&value, w_.params + parameter, sizeof value);
    return value;
  }
  // Returns the object with this handle, or the one that a variable at this address contains.
  std::shared_ptr<const ImageObject> find(int lane, uint64_t handle);
  std::byte* content(int lane, uint64_t variable);
  // Returns the sampler of a variable or of a texture object.
  Sampler sampler_of(int lane, uint64_t handle);
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
