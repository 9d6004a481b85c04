// SPDX-License-Identifier: Apache-2.0
// Options structs with many fields, filled by field name. Each language's builder, initializer or
// keywords use these calls. tools/generate.py lists the fields from cucore.h.
#pragma once

#include <cucore.h>

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lists.hpp"

namespace cucore::bind {

enum class FieldKind {
  TEXT,
  TOGGLE,
  NUMBER,
  TEXTS,
  NUMBERS,
  BLOBS,
  FLAG,  // int32_t, 0 or 1
  UINT32,
  UINT64,
  KEY,
  KEYS
};

struct Field {
  const char* name;
  FieldKind kind;
  size_t offset;
  size_t count_offset;  // of a list: offset of its length
  size_t sizes_offset;  // of a list of bytes: offset of their sizes
};

// Owns every string and list that the struct refers to.
class OptionFields {
 public:
  OptionFields(const char* struct_name, const Field* fields, size_t count, void* target);
  OptionFields(const OptionFields&) = delete;
  OptionFields& operator=(const OptionFields&) = delete;

  void set_text(const char* name, const char* value);
  void set_number(const char* name, int64_t value);  // toggles and flags too
  void add_text(const char* name, const char* value);
  void add_number(const char* name, int64_t value);
  void add_bytes(const char* name, const void* data, size_t size);
  void add_key(const char* name, cucore_key_algorithm algorithm, const void* data, size_t size);

  // Lists that share a length must be equally long; the struct is complete after this.
  void finish();

 private:
  const Field& find(const char* name) const;
  const Field& find(const char* name, FieldKind wanted) const;
  template <class Whole>
  void store(const Field& field, int64_t value);
  void place_keys(const Field& field);
  [[noreturn]] void refuse(const char* name, const char* why) const;
  template <class Value>
  Value& at(size_t offset) {
    return *reinterpret_cast<Value*>(static_cast<char*>(target_) + offset);
  }

  const char* struct_name_;
  const Field* fields_;
  size_t count_;
  void* target_;
  std::deque<std::string> texts_;
  std::map<std::string, std::vector<const char*>, std::less<>> text_lists_;
  std::map<std::string, std::vector<int32_t>, std::less<>> number_lists_;
  std::map<std::string, std::vector<const void*>, std::less<>> blob_lists_;
  std::map<std::string, std::vector<size_t>, std::less<>> blob_sizes_;
  std::map<std::string, Keys, std::less<>> key_lists_;
};

template <class Struct>
struct FieldsOf;  // the generated file defines `static const Field fields[]` and NAME

template <class Struct>
class Options {
 public:
  Options()
      : struct_{},
        fields_(FieldsOf<Struct>::NAME, FieldsOf<Struct>::fields(), FieldsOf<Struct>::count(),
                &struct_) {
    struct_.struct_size = sizeof struct_;
  }
  OptionFields& fields() { return fields_; }
  const Struct* get() {
    fields_.finish();
    return &struct_;
  }

 private:
  Struct struct_;
  OptionFields fields_;
};

}  // namespace cucore::bind
