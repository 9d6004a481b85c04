// SPDX-License-Identifier: Apache-2.0
// Formats the output of kernels.
#include "cpu/exec/printf.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace cucore::cpu {
namespace {

constexpr int MAX_ARGUMENTS = 32;

// Arguments are stored consecutively, each aligned to its size of 4 or 8 bytes.
class Arguments {
 public:
  explicit Arguments(const PrintfSource& source) : source_(source) {}
  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) & ~uint64_t{sizeof(T) - 1};
    T value;
    source_.argument(offset_, &value, sizeof value);
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  int count() const { return count_; }

 private:
  const PrintfSource& source_;
  uint64_t offset_ = 0;
  int count_ = 0;
};

constexpr uint64_t MOST_ROOM = 1 << 30;        // snprintf counts in an int
constexpr uint64_t SIGNIFICANT_DIGITS = 1100;  // the exact value of a double has at most 767

// One conversion. Flags, width and precision are parsed and bounded, because a kernel may use any
// number. Length modifiers are replaced by those of the argument.
class Conversion {
 public:
  // Appends at most `room` characters to `out`.
  Conversion(const std::string& format, size_t& at, Arguments& arguments, std::string& out,
             uint64_t room)
      : format_(format), at_(at), arguments_(arguments), out_(out), room_(room) {}
  // Returns false if the format is not valid or the text does not fit.
  bool run(const PrintfSource& source);

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  bool flag(char c) const { return flags_.find(c) != std::string::npos; }
  void parse();
  void parse_flags();
  int64_t parse_number();
  bool integer(char c);
  bool real(char c, double value);
  bool text(const std::string& value);
  template <class T>
  bool print(const char* type, T value);

  const std::string& format_;
  size_t& at_;
  Arguments& arguments_;
  std::string& out_;
  const uint64_t room_;
  std::string flags_;
  uint64_t width_ = 0;
  int64_t precision_ = -1;  // negative: not set
  int longs_ = 0, shorts_ = 0;
};

void Conversion::parse_flags() {
  for (; peek() && std::strchr("-+ #0", peek()); ++at_)
    if (!flag(format_[at_])) flags_ += format_[at_];
}

// A number that is too large for any buffer stays too large.
int64_t Conversion::parse_number() {
  if (peek() == '*') {
    ++at_;
    return arguments_.next<int32_t>();
  }
  int64_t value = 0;
  for (; peek() >= '0' && peek() <= '9'; ++at_)
    if (value <= int64_t{MOST_ROOM}) value = value * 10 + (format_[at_] - '0');
  return value;
}

void Conversion::parse() {
  parse_flags();
  const int64_t width = parse_number();
  if (width < 0) flags_ += '-';
  width_ = uint64_t(width < 0 ? -width : width);
  if (peek() == '.') {
    ++at_;
    precision_ = parse_number();
  }
  for (; peek() && std::strchr("hljztL", peek()); ++at_) ++(format_[at_] == 'h' ? shorts_ : longs_);
}

template <class T>
bool Conversion::print(const char* type, T value) {
  if (width_ > room_ || (precision_ > 0 && uint64_t(precision_) > room_)) return false;
  const std::string spec = '%' + flags_ + "*.*" + type;
  const int n = std::snprintf(nullptr, 0, spec.c_str(), int(width_), int(precision_), value);
  if (n < 0 || uint64_t(n) > room_) return false;
  const size_t before = out_.size();
  out_.resize(before + size_t(n) + 1);
  std::snprintf(out_.data() + before, size_t(n) + 1, spec.c_str(), int(width_), int(precision_),
                value);
  out_.pop_back();
  return true;
}

bool Conversion::integer(char c) {
  const char type[] = {'l', 'l', c, '\0'};
  const bool is_signed = c == 'd' || c == 'i';
  if (longs_) {
    const uint64_t v = arguments_.next<uint64_t>();
    return is_signed ? print(type, static_cast<long long>(v))
                     : print(type, static_cast<unsigned long long>(v));
  }
  uint32_t v = arguments_.next<uint32_t>();
  if (is_signed) {
    const int32_t s = shorts_ == 0 ? int32_t(v) : shorts_ == 1 ? int16_t(v) : int8_t(v);
    return print(type, static_cast<long long>(s));
  }
  if (shorts_) v = shorts_ == 1 ? uint16_t(v) : uint8_t(v);
  return print(type, static_cast<unsigned long long>(v));
}

// A precision that adds no character to the text is accepted.
bool Conversion::real(char c, double value) {
  const char type[] = {c, '\0'};
  if (!std::isfinite(value)) precision_ = -1;
  if ((c == 'g' || c == 'G') && !flag('#'))
    precision_ = std::min(precision_, int64_t{SIGNIFICANT_DIGITS});
  return print(type, value);
}

bool Conversion::text(const std::string& value) {
  precision_ = precision_ < 0 ? int64_t(value.size()) : std::min(precision_, int64_t(value.size()));
  return print("s", value.c_str());
}

bool Conversion::run(const PrintfSource& source) {
  const size_t begin = at_;
  parse();
  const char c = peek();
  if (!c) return false;
  ++at_;
  if (std::strchr("diouxX", c)) return integer(c);
  if (std::strchr("fFeEgGaA", c)) return real(c, arguments_.next<double>());
  switch (c) {
    case 'c':
      precision_ = -1;
      return print("c", int(arguments_.next<uint32_t>()));
    case 's': {
      const uint64_t address = arguments_.next<uint64_t>();
      return text(address ? source.string(address) : "(null)");
    }
    case 'p':
      return print("p", reinterpret_cast<void*>(arguments_.next<uint64_t>()));
    default:
      out_ += '%' + format_.substr(begin, at_ - begin);  // not a conversion: printed unchanged
      return true;
  }
}

}  // namespace

int format_printf(const std::string& format, const PrintfSource& source, uint64_t capacity,
                  std::string& out) {
  Arguments arguments(source);
  capacity = std::min(capacity, MOST_ROOM);
  for (size_t at = 0; at < format.size();) {
    if (out.size() >= capacity) return -1;
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    ++at;
    if (at < format.size() && format[at] == '%') {
      out += '%';
      ++at;
      continue;
    }
    if (arguments.count() >= MAX_ARGUMENTS) return -1;
    if (!Conversion(format, at, arguments, out, capacity - out.size()).run(source)) return -1;
  }
  return arguments.count();
}

}  // namespace cucore::cpu
