// SPDX-License-Identifier: Apache-2.0
// Fills the fields of options structs by name.
#include "options.hpp"

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "failure.hpp"

namespace cucore::bind {

OptionFields::OptionFields(const char* struct_name, const Field* fields, size_t count, void* target)
    : struct_name_(struct_name), fields_(fields), count_(count), target_(target) {}

void OptionFields::refuse(const char* name, const char* why) const {
  throw Failure(CUCORE_ERROR_INVALID_ARGUMENT, std::string(struct_name_) + "." + name + " " + why);
}

const Field& OptionFields::find(const char* name) const {
  for (size_t i = 0; i < count_; ++i)
    if (std::strcmp(fields_[i].name, name) == 0) return fields_[i];
  refuse(name, "does not exist");
}

const Field& OptionFields::find(const char* name, FieldKind wanted) const {
  static constexpr const char* WHY[] = {
      "is not a text",          "is not a choice",          "is not a number",
      "is not a list of texts", "is not a list of numbers", "is not a list of bytes",
      "is not a yes or no",     "is not a number",          "is not a number",
      "is not a key",           "is not a list of keys"};
  const Field& field = find(name);
  if (field.kind != wanted) refuse(name, WHY[static_cast<int>(wanted)]);
  return field;
}

void OptionFields::set_text(const char* name, const char* value) {
  const Field& field = find(name, FieldKind::TEXT);
  at<const char*>(field.offset) = value ? texts_.emplace_back(value).c_str() : nullptr;
}

template <class Whole>
void OptionFields::store(const Field& field, int64_t value) {
  if (!std::in_range<Whole>(value))
    refuse(field.name,
           value < 0 && std::is_unsigned_v<Whole> ? "is less than 0" : "does not fit 32 bits");
  at<Whole>(field.offset) = static_cast<Whole>(value);
}

void OptionFields::set_number(const char* name, int64_t value) {
  const Field& field = find(name);
  switch (field.kind) {
    case FieldKind::TOGGLE:
      if (value < CUCORE_TOGGLE_DEFAULT || value > CUCORE_TOGGLE_OFF)
        refuse(name, "is none of DEFAULT, ON and OFF");
      at<cucore_toggle>(field.offset) = static_cast<cucore_toggle>(value);
      return;
    case FieldKind::FLAG:
      if (value != 0 && value != 1) refuse(name, "is neither 0 nor 1");
      [[fallthrough]];
    case FieldKind::NUMBER:
      return store<int32_t>(field, value);
    case FieldKind::UINT32:
      return store<uint32_t>(field, value);
    case FieldKind::UINT64:
      return store<uint64_t>(field, value);
    default:
      refuse(name, "is not a number");
  }
}

void OptionFields::add_text(const char* name, const char* value) {
  find(name, FieldKind::TEXTS);
  if (!value) refuse(name, "has a text that is null");
  text_lists_[name].push_back(texts_.emplace_back(value).c_str());
}

void OptionFields::add_number(const char* name, int64_t value) {
  find(name, FieldKind::NUMBERS);
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
    refuse(name, "has a number that does not fit 32 bits");
  number_lists_[name].push_back(static_cast<int32_t>(value));
}

void OptionFields::add_bytes(const char* name, const void* data, size_t size) {
  find(name, FieldKind::BLOBS);
  blob_lists_[name].push_back(texts_.emplace_back(static_cast<const char*>(data), size).data());
  blob_sizes_[name].push_back(size);
}

void OptionFields::add_key(const char* name, cucore_key_algorithm algorithm, const void* data,
                           size_t size) {
  const Field& field = find(name);
  if (field.kind != FieldKind::KEY) find(name, FieldKind::KEYS);
  Keys& keys = key_lists_.try_emplace(name).first->second;
  if (field.kind == FieldKind::KEY && keys.size() != 0) refuse(name, "has more than one key");
  keys.add(algorithm, data, size);
}

void OptionFields::place_keys(const Field& field) {
  const Keys& keys = key_lists_.try_emplace(field.name).first->second;
  at<const cucore_key*>(field.offset) = keys.size() != 0 ? keys.data() : nullptr;
  if (field.kind == FieldKind::KEYS) at<size_t>(field.count_offset) = keys.size();
}

void OptionFields::finish() {
  std::map<size_t, size_t> lengths;  // by offset of the length field
  const auto place = [&](const Field& field, auto& lists) {
    auto& list = lists[field.name];
    const auto [length, is_new] = lengths.try_emplace(field.count_offset, list.size());
    if (!is_new && length->second != list.size())
      refuse(field.name, "has another length than its partner");
    at<const void*>(field.offset) = list.empty() ? nullptr : list.data();
    at<size_t>(field.count_offset) = list.size();
  };
  for (size_t i = 0; i < count_; ++i) {
    if (fields_[i].kind == FieldKind::TEXTS) place(fields_[i], text_lists_);
    if (fields_[i].kind == FieldKind::NUMBERS) place(fields_[i], number_lists_);
    if (fields_[i].kind == FieldKind::KEY || fields_[i].kind == FieldKind::KEYS)
      place_keys(fields_[i]);
    if (fields_[i].kind != FieldKind::BLOBS) continue;
    place(fields_[i], blob_lists_);
    at<const void*>(fields_[i].sizes_offset) = blob_sizes_[fields_[i].name].data();
  }
}

}  // namespace cucore::bind
