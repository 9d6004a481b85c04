// SPDX-License-Identifier: Apache-2.0
// Converts fields of an options struct to a command line; a value out of range is reported with its
// field.
#pragma once

#include <cucore.h>

#include <string>
#include <vector>

namespace cucore::core {

class FlagList {
 public:
  // `options` is the struct's name in messages: "cucore_linker_options".
  explicit FlagList(const char* options) : options_(options) {}

  // A null flag is one that the tool lacks: nothing is passed.
  void toggle(const char* field, cucore_toggle value, const char* on, const char* off);
  void number(const char* field, int32_t value, const char* flag, int32_t least);
  void threads(const char* field, int32_t value, const char* flag);
  void one(const char* value, const char* flag);
  void many(const char* field, const char* const* values, size_t count, const char* flag);
  void codes(const char* field, const int32_t* values, size_t count, const char* flag);

  void add(const char* flag) {
    if (flag) flags_.emplace_back(flag);
  }
  [[noreturn]] void fail(const char* field, const std::string& what) const;
  std::vector<std::string> copy(const char* const* strings, size_t count, const char* field) const;
  size_t size() const { return flags_.size(); }
  std::vector<std::string> take() { return std::move(flags_); }

 private:
  const char* options_;
  std::vector<std::string> flags_;
};

}  // namespace cucore::core
