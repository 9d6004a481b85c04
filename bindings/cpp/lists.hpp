// SPDX-License-Identifier: Apache-2.0
// Lists that calls take: keys of signatures, images of a bundle. A language adds one item at a
// time.
#pragma once

#include <cstddef>
#include <cucore/objectcode.hpp>
#include <deque>
#include <string>
#include <vector>

#include "failure.hpp"

namespace cucore::bind {

class Keys {
 public:
  Keys() = default;
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  void add(cucore_key_algorithm algorithm, const void* data, size_t size) {
    const std::string& copy = bytes_.emplace_back(static_cast<const char*>(data), size);
    keys_.push_back({copy.data(), copy.size(), algorithm, 0});
  }
  const cucore_key* data() const { return keys_.data(); }
  size_t size() const { return keys_.size(); }

 private:
  std::deque<std::string> bytes_;
  std::vector<cucore_key> keys_;
};

class Images {
 public:
  Images() = default;
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;
  void add(const cucore_objectcode* image) {
    images_.push_back(owners_.emplace_back(ObjectCode::share(image)).get());
  }
  cucore_objectcode* bundle() const {
    return made<cucore_objectcode*>(cucore_objectcode_bundle, images_.data(), images_.size());
  }

 private:
  std::vector<ObjectCode> owners_;
  std::vector<const cucore_objectcode*> images_;
};

}  // namespace cucore::bind
