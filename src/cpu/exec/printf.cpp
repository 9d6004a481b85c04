// Formats what kernels print.
#include "cpu/exec/printf.hpp"

#include <cstdio>
#include <cstring>

namespace cucpu {
namespace {

constexpr int kMaxArguments = 32;

// Arguments lie one after another, each aligned to its size of 4 or 8 bytes.
class Arguments {
 public:
  explicit Arguments(const PrintfSource& source) : source_(source) {}
  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) & ~u64{sizeof(T) - 1};
    T value;
    source_.argument(offset_, &value, sizeof value);
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  int count() const { return count_; }

 private:
  const PrintfSource& source_;
  u64 offset_ = 0;
  int count_ = 0;
};

template <class T>
void print(std::string& out, const std::string& spec, T value) {
  const int n = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (n < 0) return;
  std::string text(size_t(n) + 1, '\0');
  std::snprintf(text.data(), text.size(), spec.c_str(), value);
  text.pop_back();
  out += text;
}

// One conversion: flags, width and precision are copied, lengths are replaced by our own.
class Conversion {
 public:
  Conversion(const std::string& format, size_t& at, Arguments& arguments)
      : format_(format), at_(at), arguments_(arguments) {}
  bool run(std::string& out, const PrintfSource& source);

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  void number();
  void integer(std::string& out, char c);

  const std::string& format_;
  size_t& at_;
  Arguments& arguments_;
  std::string spec_ = "%";
  int longs_ = 0, shorts_ = 0;
};

void Conversion::number() {
  if (peek() == '*') {
    ++at_;
    spec_ += std::to_string(arguments_.next<s32>());
  }
  while (peek() >= '0' && peek() <= '9') spec_ += format_[at_++];
}

void Conversion::integer(std::string& out, char c) {
  spec_ += "ll";
  spec_ += c;
  const bool is_signed = c == 'd' || c == 'i';
  if (longs_) {
    const u64 v = arguments_.next<u64>();
    return is_signed ? print(out, spec_, static_cast<long long>(v))
                     : print(out, spec_, static_cast<unsigned long long>(v));
  }
  u32 v = arguments_.next<u32>();
  if (is_signed) {
    const s32 s = shorts_ == 0 ? s32(v) : shorts_ == 1 ? s16(v) : s8(v);
    return print(out, spec_, static_cast<long long>(s));
  }
  if (shorts_) v = shorts_ == 1 ? u16(v) : u8(v);
  print(out, spec_, static_cast<unsigned long long>(v));
}

bool Conversion::run(std::string& out, const PrintfSource& source) {
  while (peek() && std::strchr("-+ #0", peek())) spec_ += format_[at_++];
  number();
  if (peek() == '.') {
    spec_ += format_[at_++];
    number();
  }
  while (peek() && std::strchr("hljztL", peek())) {
    const char c = format_[at_++];
    if (c == 'h')
      ++shorts_;
    else
      ++longs_;
  }
  const char c = peek();
  if (!c) return false;
  ++at_;
  if (std::strchr("diouxX", c)) {
    integer(out, c);
  } else if (std::strchr("fFeEgGaA", c)) {
    spec_ += c;
    print(out, spec_, arguments_.next<double>());
  } else if (c == 'c') {
    spec_ += c;
    print(out, spec_, int(arguments_.next<u32>()));
  } else if (c == 's') {
    spec_ += c;
    const u64 address = arguments_.next<u64>();
    const std::string text = address ? source.string(address) : "(null)";
    print(out, spec_, text.c_str());
  } else if (c == 'p') {
    spec_ += c;
    print(out, spec_, reinterpret_cast<void*>(arguments_.next<u64>()));
  } else {
    out += spec_ + c;  // not a conversion: printed as it is
  }
  return true;
}

}  // namespace

int format_printf(const std::string& format, const PrintfSource& source, std::string& out) {
  Arguments arguments(source);
  for (size_t at = 0; at < format.size();) {
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
    if (arguments.count() >= kMaxArguments) return -1;
    if (!Conversion(format, at, arguments).run(out, source)) return -1;
  }
  return arguments.count();
}

}  // namespace cucpu
