// SPDX-License-Identifier: Apache-2.0
#include "core/load/code_loader.hpp"

#include "container/select.hpp"
#include "core/compile/linker_choice.hpp"
#include "core/compile/ltoir.hpp"
#include "core/load/objectcode.hpp"
#include "core/observe/observation.hpp"
#include "support/concat.hpp"

namespace cucore::core {

using driver::cuda;
using image::CodeType;

namespace {

// Returns the newest ISA that a driver reads, by its CUDA version; 0 for a version newer than the
// table.
uint16_t newest_ptx(int cuda_version) {
  struct Row {
    int cuda;
    uint16_t isa;
  };
  constexpr Row ROWS[] = {{12000, 80}, {12010, 81}, {12020, 82}, {12030, 83},
                          {12040, 84}, {12050, 85}, {12060, 85}, {12070, 86},
                          {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91}};
  if (cuda_version > std::rbegin(ROWS)->cuda) return 0;
  uint16_t isa = 0;
  for (const Row& row : ROWS)
    if (cuda_version >= row.cuda) isa = row.isa;
  return isa;
}

}  // namespace

Ref<Device> current_device() {
  CUdevice native = 0;
  const bool is_current = cuda().cuCtxGetDevice(&native) == CUDA_SUCCESS;
  return Device::open(is_current ? static_cast<int>(native) : 0);
}

void CodeLoader::require_linked() const {
  const CodeType type = code_.code().type;
  if (type == CodeType::OBJECT || type == CodeType::LIBRARY)
    throw Error(Status::INVALID_STATE, concat("cannot load ", code_.label(), ": link it first"));
}

void CodeLoader::require_loadable() const {
  if (code_.code().type == CodeType::CUBIN && cuda().is_cpu)
    throw Error(Status::INVALID_CODE, concat("cannot load ", code_.label(),
                                             " on the CPU device: it runs PTX, and a CUBIN is "
                                             "machine code of a GPU; compile the program to PTX"));
  require_linked();
}

// The image of a device, and the architecture to link it for if it is LTOIR.
struct CodeLoader::Choice {
  const image::Image* image;
  size_t index = 0;
  uint16_t linked_for = 0;
  Key key() const { return {index, linked_for}; }
};

CodeLoader::Choice CodeLoader::choose(const Device& device) const {
  const container::Code& code = code_.code();
  Choice choice{&code};
  if (code.type == CodeType::BUNDLE) {
    const uint16_t nvjitlink = nvjitlink_toolkit();
    choice.index = container::select(
        code, {.device = device.capability(),
               .ptx_isa = device.is_emulated() ? uint16_t{0} : newest_ptx(cuda().version),
               .ptx_only = device.is_emulated(),
               .can_link_ltoir = nvjitlink != 0,
               .nvjitlink = nvjitlink});
    choice.image = &code.images[choice.index];
  }
  if (choice.image->type == CodeType::LTOIR) choice.linked_for = device.capability();
  return choice;
}

Ref<LoadedImage> CodeLoader::find(const Key& key) const {
  std::lock_guard lock(mutex_);
  const auto found = images_.find(key);
  return found == images_.end() ? nullptr : found->second;
}

Ref<LoadedImage> CodeLoader::load(const Device& device) {
  require_loadable();
  const Choice choice = choose(device);
  if (Ref<LoadedImage> earlier = find(choice.key())) return earlier;
  if (!is_observed(CUCORE_OPERATION_LOAD)) return load_once(choice, device);
  Ref<LoadedImage> image;
  observe({.kind = CUCORE_OPERATION_LOAD, .device = &device, .code = &code_},
          [&](Operation&) { image = load_once(choice, device); });
  return image;
}

Ref<LoadedImage> CodeLoader::load_once(const Choice& choice, const Device& device) {
  std::lock_guard loading(loading_);
  if (Ref<LoadedImage> earlier = find(choice.key())) return earlier;
  Ref<LoadedImage> image = load_choice(choice, device);
  std::lock_guard lock(mutex_);
  images_[choice.key()] = image;
  return image;
}

container::Code CodeLoader::link_choice(const Choice& choice, const Device& device) const {
  const container::Code& code = code_.code();
  container::Code input;
  static_cast<image::Image&>(input) = *choice.image;
  input.metadata = code.type == CodeType::BUNDLE && choice.index < code.image_metadata.size()
                       ? code.image_metadata[choice.index]
                       : code.metadata;
  return link_ltoir(input, device.capability(), device.is_emulated());
}

Ref<LoadedImage> CodeLoader::load_choice(const Choice& choice, const Device& device) const {
  if (choice.image->type != CodeType::LTOIR)
    return LoadedImage::load(*choice.image, device, "load " + code_.label());
  const container::Code linked = link_choice(choice, device);
  return LoadedImage::load(linked, device,
                           concat("load ", code_.label(), ", linked for ", linked.arch.text()));
}

Ref<const ObjectCode> CodeLoader::code_for(const Device& device) const {
  if (code_.data().empty())
    throw Error(Status::UNSUPPORTED, concat("the object code of ", code_.label(),
                                            " is unknown, because another owner loaded it"));
  const Choice choice = choose(device);
  if (choice.image->type == CodeType::LTOIR) return make<ObjectCode>(link_choice(choice, device));
  return code_.code().type == CodeType::BUNDLE ? code_.image_at(choice.index)
                                               : Ref<const ObjectCode>(&code_);
}

void CodeLoader::adopt(Ref<LoadedImage> image) {
  std::lock_guard lock(mutex_);
  images_[Key()] = std::move(image);
}

bool CodeLoader::is_loaded() const {
  std::lock_guard lock(mutex_);
  return !images_.empty();
}

}  // namespace cucore::core
