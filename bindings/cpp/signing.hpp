// Keys, and lists of objects, that cross into one call of the C API.
#pragma once

#include <cucore.h>

#include <memory>
#include <vector>

#include "failure.hpp"

namespace cucore::bind {

// A key with a copy of its bytes, which is overwritten before it is freed.
class Key {
 public:
  Key(cucore_key_algorithm algorithm, const void* data, size_t size)
      : bytes_(static_cast<const char*>(data), static_cast<const char*>(data) + size) {
    key_ = {bytes_.data(), bytes_.size(), algorithm, 0};
  }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() {
    for (volatile char& byte : bytes_) byte = 0;
  }
  const cucore_key* get() const { return &key_; }

 private:
  std::vector<char> bytes_;
  cucore_key key_;
};

// Counts itself by shared_ptr: a ring keeps its keys, whoever closes them.
using SharedKey = std::shared_ptr<Key>;

class KeyRing {
 public:
  void add(const SharedKey& key) {
    kept_.push_back(key);
    keys_.push_back(*key->get());
  }
  const cucore_key* data() const { return keys_.data(); }
  size_t size() const { return keys_.size(); }

 private:
  std::vector<SharedKey> kept_;
  std::vector<cucore_key> keys_;
};

class ObjectCodeList {
 public:
  ObjectCodeList() = default;
  ObjectCodeList(const ObjectCodeList&) = delete;
  ObjectCodeList& operator=(const ObjectCodeList&) = delete;
  ~ObjectCodeList() {
    for (cucore_objectcode* code : codes_) cucore_objectcode_release(code);
  }
  void add(cucore_objectcode* code) {
    codes_.reserve(codes_.size() + 1);
    codes_.push_back(cucore_objectcode_retain(code));
  }
  const cucore_objectcode* const* data() const { return codes_.data(); }
  size_t size() const { return codes_.size(); }

 private:
  std::vector<cucore_objectcode*> codes_;
};

}  // namespace cucore::bind
