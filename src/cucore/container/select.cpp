// SPDX-License-Identifier: Apache-2.0
// The image of a bundle for a device: an order of preference, one line per rule.
#include "container/select.hpp"

#include <array>

#include "support/error.hpp"

namespace cucore::container {

namespace {

// 0: does not run there. Otherwise, larger is better among images of one rule.
using Rank = unsigned (*)(const image::Image&, const Target&);

bool is_real(const image::Image& image) {
  return image.type == image::CodeType::CUBIN && !image.arch.is_virtual;
}

unsigned exact_cubin(const image::Image& image, const Target& target) {
  return is_real(image) && image.arch.suffix == 'a' && image.arch.number == target.device;
}

unsigned family_cubin(const image::Image& image, const Target& target) {
  const bool fits = is_real(image) && image.arch.suffix == 'f' && image.arch.runs_on(target.device);
  return fits ? image.arch.number : 0;
}

unsigned plain_cubin(const image::Image& image, const Target& target) {
  const bool fits = is_real(image) && image.arch.suffix == 0 && image.arch.runs_on(target.device);
  return fits ? image.arch.number : 0;
}

// The reach of an architecture as intermediate code, whether it is written sm_ or compute_.
bool compiles_for(image::Arch arch, uint16_t device) {
  arch.is_virtual = true;
  return arch.runs_on(device);
}

// nvJitLink links LTO-IR of its own major version that is not newer than itself.
bool is_linkable_by(uint16_t nvjitlink, uint16_t toolkit) {
  if (nvjitlink == 0 || toolkit == 0) return true;
  return toolkit / 10 == nvjitlink / 10 && toolkit <= nvjitlink;
}

unsigned ltoir(const image::Image& image, const Target& target) {
  if (image.type != image::CodeType::LTOIR || !target.can_link_ltoir) return 0;
  if (!is_linkable_by(target.nvjitlink, image.toolkit)) return 0;
  // An LTOIR without an architecture is tried last.
  if (image.arch.empty()) return 1;
  return compiles_for(image.arch, target.device) ? image.arch.number : 0;
}

unsigned ptx(const image::Image& image, const Target& target) {
  if (image.type != image::CodeType::PTX || !compiles_for(image.arch, target.device)) return 0;
  if (target.ptx_isa != 0 && image.ptx_isa > target.ptx_isa) return 0;
  // For one target, the more specific text: compute_90a before compute_90.
  const unsigned detail = image.arch.suffix == 'a' ? 2 : image.arch.suffix == 'f' ? 1 : 0;
  return image.arch.number * 4u + detail;
}

// "8.4" of 84
std::string version_text(unsigned number) {
  return std::to_string(number / 10) + "." + std::to_string(number % 10);
}

std::string describe(const Code& bundle) {
  std::string list;
  for (const image::Image& image : bundle.images) {
    if (!list.empty()) list += ", ";
    list += image::code_type_name(image.type);
    if (!image.arch.empty()) list += " for " + image.arch.text();
    if (image.type == image::CodeType::PTX && image.ptx_isa != 0)
      list += " (ISA " + version_text(image.ptx_isa) + ")";
    if (image.type == image::CodeType::LTOIR && image.toolkit != 0)
      list += " (CUDA " + version_text(image.toolkit) + ")";
  }
  return list;
}

std::string needs(const Target& target) {
  std::string text = "sm_" + std::to_string(target.device);
  if (target.ptx_only) text += ", a device that runs PTX";
  if (target.ptx_isa != 0) text += ", PTX up to ISA " + version_text(target.ptx_isa);
  if (!target.can_link_ltoir) text += ", without nvJitLink for LTOIR";
  if (target.nvjitlink != 0) text += ", LTOIR for nvJitLink " + version_text(target.nvjitlink);
  return text;
}

}  // namespace

std::optional<size_t> find(const Code& bundle, const Target& target,
                           const std::function<bool(const image::Image&)>& is_taken) {
  static constexpr std::array<Rank, 5> MACHINE = {exact_cubin, family_cubin, plain_cubin, ltoir,
                                                  ptx};
  static constexpr std::array<Rank, 2> PTX_ONLY = {ptx, ltoir};
  const std::span<const Rank> rules =
      target.ptx_only ? std::span<const Rank>(PTX_ONLY) : std::span<const Rank>(MACHINE);
  for (const Rank rank : rules) {
    size_t best = 0;
    unsigned most = 0;
    for (size_t i = 0; i < bundle.images.size(); ++i) {
      const unsigned value = rank(bundle.images[i], target);
      if (value > most && is_taken(bundle.images[i])) {
        most = value;
        best = i;
      }
    }
    if (most != 0) return best;
  }
  return std::nullopt;
}

size_t select(const Code& bundle, const Target& target) {
  if (const auto found = find(bundle, target, [](const image::Image&) { return true; }))
    return *found;
  throw Error(Status::INVALID_CODE, "no image of the bundle \"" + bundle.name +
                                        "\" runs on the device (" + needs(target) + "): it holds " +
                                        describe(bundle));
}

}  // namespace cucore::container
