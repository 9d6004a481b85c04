// SPDX-License-Identifier: Apache-2.0
// Loads object code into the driver: chooses the image of a device, and loads each image once,
// independent of the number of threads.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "container/objectcode.hpp"
#include "core/load/loaded_image.hpp"
#include "core/objects/device.hpp"

namespace cucore::core {

class ObjectCode;

// Returns the device whose context is current, else device 0.
Ref<Device> current_device();

class CodeLoader {
 public:
  // `code` owns the loader.
  explicit CodeLoader(const ObjectCode& code) : code_(code) {}

  // Throws an error for code that a link must precede.
  void require_linked() const;
  // Throws an error for code that no device can load, independent of the device.
  void require_loadable() const;
  // Returns the loaded image of a device, and loads it first if needed; see LoadedImage::load().
  // Other threads wait for the one that loads. A failure is not stored: the next call tries again.
  Ref<LoadedImage> load(const Device& device);
  // Returns the code with the image that a device runs. LTOIR is linked.
  Ref<const ObjectCode> code_for(const Device& device) const;
  bool is_loaded() const;
  // Makes an image that another owner loaded the image of all devices.
  void adopt(Ref<LoadedImage> image);

 private:
  struct Choice;
  // The image of a bundle, and the device that LTOIR was linked for.
  using Key = std::pair<size_t, uint16_t>;
  Choice choose(const Device& device) const;
  Ref<LoadedImage> load_once(const Choice& choice, const Device& device);
  container::Code link_choice(const Choice& choice, const Device& device) const;
  Ref<LoadedImage> load_choice(const Choice& choice, const Device& device) const;
  Ref<LoadedImage> find(const Key& key) const;

  const ObjectCode& code_;
  std::mutex loading_;        // held while the driver loads
  mutable std::mutex mutex_;  // guards the members below; never held during a driver call
  std::map<Key, Ref<LoadedImage>> images_;
};

}  // namespace cucore::core
