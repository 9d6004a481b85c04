#include "core/nvrtc_options.hpp"

#include "support/error.hpp"
#include "support/text.hpp"

namespace cucore::core {
namespace {

[[noreturn]] void throw_field(const char* field, const std::string& what) {
  throw Error(Status::INVALID_ARGUMENT, text("cucore_program_options.", field, " ", what));
}

class FlagList {
 public:
  void toggle(const char* field, cucore_toggle value, const char* on, const char* off) {
    switch (value) {
      case CUCORE_TOGGLE_DEFAULT:
        return;
      case CUCORE_TOGGLE_ON:
        return add(on);
      case CUCORE_TOGGLE_OFF:
        return add(off);
      default:
        throw_field(field, text("is ", static_cast<int>(value), ", not a cucore_toggle"));
    }
  }
  void number(const char* field, int32_t value, const char* flag, int32_t least) {
    if (value < least) throw_field(field, text("is ", value, "; the least is ", least));
    if (value != 0) flags_.push_back(text(flag, "=", value));
  }
  void threads(const char* field, int32_t value, const char* flag) {
    if (value < -1) throw_field(field, text("is ", value, "; give a count, or -1 for all cores"));
    if (value != 0) flags_.push_back(text(flag, "=", value == -1 ? 0 : value));
  }
  void one(const char* value, const char* flag) {
    if (value) flags_.push_back(text(flag, "=", value));
  }
  void many(const char* field, const char* const* values, size_t count, const char* flag) {
    for (std::string& value : copy_strings(values, count, field))
      flags_.push_back(*flag ? text(flag, "=", value) : std::move(value));
  }
  void codes(const char* field, const int32_t* values, size_t count, const char* flag) {
    if (count != 0 && !values) throw_field(field, text("is NULL but its count is ", count));
    for (size_t i = 0; i < count; ++i) flags_.push_back(text(flag, "=", values[i]));
  }
  std::vector<std::string> take() { return std::move(flags_); }

 private:
  void add(const char* flag) {
    if (flag) flags_.emplace_back(flag);
  }
  std::vector<std::string> flags_;
};

}  // namespace

std::vector<std::string> copy_strings(const char* const* strings, size_t count, const char* field) {
  if (count != 0 && !strings) throw_field(field, text("is NULL but its count is ", count));
  std::vector<std::string> copies;
  for (size_t i = 0; i < count; ++i) {
    if (!strings[i]) throw_field(field, text("has NULL at index ", i));
    copies.emplace_back(strings[i]);
  }
  return copies;
}

std::vector<std::string> nvrtc_flags(const cucore_program_options& options) {
  FlagList flags;
#define TOGGLE(field, flag) flags.toggle(#field, options.field, flag "=true", flag "=false");
#define SWITCH(field, flag) flags.toggle(#field, options.field, flag, nullptr);
#define INVERSE(field, flag) flags.toggle(#field, options.field, nullptr, flag);
#define NUMBER(field, flag, least) flags.number(#field, options.field, flag, least);
#define THREADS(field, flag) flags.threads(#field, options.field, flag);
#define TEXT(field, flag) flags.one(options.field, flag);
#define TEXTS(field, flag) flags.many(#field "s", options.field##s, options.field##_count, flag);
#define CODES(field, flag) flags.codes(#field "s", options.field##s, options.field##_count, flag);
#include "core/nvrtc_options.inc"
#undef TOGGLE
#undef SWITCH
#undef INVERSE
#undef NUMBER
#undef THREADS
#undef TEXT
#undef TEXTS
#undef CODES
  return flags.take();
}

}  // namespace cucore::core
