// SPDX-License-Identifier: Apache-2.0
#include "core/compile/flag_list.hpp"

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::core {

void FlagList::fail(const char* field, const std::string& what) const {
  throw Error(Status::INVALID_ARGUMENT, concat(options_, ".", field, " ", what));
}

void FlagList::toggle(const char* field, cucore_toggle value, const char* on, const char* off) {
  switch (value) {
    case CUCORE_TOGGLE_DEFAULT:
      return;
    case CUCORE_TOGGLE_ON:
      return add(on);
    case CUCORE_TOGGLE_OFF:
      return add(off);
    default:
      fail(field, concat("is ", static_cast<int>(value), ", not a cucore_toggle"));
  }
}

void FlagList::number(const char* field, int32_t value, const char* flag, int32_t least) {
  if (value < least) fail(field, concat("is ", value, "; the least is ", least));
  if (value != 0) flags_.push_back(concat(flag, "=", value));
}

void FlagList::threads(const char* field, int32_t value, const char* flag) {
  constexpr int32_t MOST = 1024;  // a compiler that cannot start them all hangs or crashes
  if (value < -1 || value > MOST)
    fail(field, concat("is ", value, "; give a count up to ", MOST, ", or -1 for all cores"));
  if (value != 0) flags_.push_back(concat(flag, "=", value == -1 ? 0 : value));
}

void FlagList::one(const char* value, const char* flag) {
  if (value) flags_.push_back(concat(flag, "=", value));
}

void FlagList::many(const char* field, const char* const* values, size_t count, const char* flag) {
  for (std::string& value : copy(values, count, field))
    flags_.push_back(*flag ? concat(flag, "=", value) : std::move(value));
}

void FlagList::codes(const char* field, const int32_t* values, size_t count, const char* flag) {
  if (count != 0 && !values) fail(field, concat("is NULL but its count is ", count));
  for (size_t i = 0; i < count; ++i) flags_.push_back(concat(flag, "=", values[i]));
}

std::vector<std::string> FlagList::copy(const char* const* strings, size_t count,
                                        const char* field) const {
  if (count != 0 && !strings) fail(field, concat("is NULL but its count is ", count));
  std::vector<std::string> copies;
  for (size_t i = 0; i < count; ++i) {
    if (!strings[i]) fail(field, concat("has NULL at index ", i));
    copies.emplace_back(strings[i]);
  }
  return copies;
}

}  // namespace cucore::core
