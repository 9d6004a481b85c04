// SPDX-License-Identifier: Apache-2.0
#include "perf/report/plain_text.hpp"

#include <cxxabi.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>

#include "support/concat.hpp"

namespace cucore::perf {

std::string visible(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return text;
}

// The functions of <cstdio> would use the decimal point of the program's locale.
std::string digits_text(double value, int digits) {
  char text[400];  // a double has up to 309 digits before the point
  return {text,
          std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr};
}

std::string short_text(double value, int digits) {
  char text[40];
  return {text,
          std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

std::string scaled_text(double value, const char* unit) {
  static constexpr struct {
    double factor;
    const char* prefix;
  } PREFIXES[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                  {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
  if (value == 0) return concat("0 ", unit);
  const auto* chosen = &PREFIXES[7];
  for (const auto& each : PREFIXES)
    if (std::abs(value) >= each.factor) {
      chosen = &each;
      break;
    }
  const double part = value / chosen->factor;
  const int digits = part >= 999.95 ? 0 : part >= 99.995 ? 1 : part >= 9.9995 ? 2 : 3;
  return concat(digits_text(part, digits), " ", chosen->prefix, unit);
}

std::string csv_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) (c == '"' ? quoted += '"' : quoted) += c;
  return quoted + '"';
}

std::string csv_number(double value) {
  return std::isfinite(value) ? short_text(value, 9) : std::string();
}

std::string plot_text(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\' || c == '`' || c == 0x7f)
      c = '?';
  return concat("\"", text, "\"");
}

std::string kernel_title(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status == -1) throw std::bad_alloc();
  if (!demangled) return name;
  std::string title = demangled.get();
  // The parameters begin at the last parenthesis that is not inside template arguments.
  size_t depth = 0, end = title.size();
  for (size_t i = 0; i < title.size(); ++i) {
    if (title[i] == '<') ++depth;
    if (title[i] == '>' && depth > 0) --depth;
    if (title[i] == '(' && depth == 0 && i > 0 && title.compare(i, 11, "(anonymous ") != 0) {
      end = i;
      break;
    }
  }
  title.resize(end);
  // Templates have the type of the result before the name.
  if (title.starts_with("void ")) title.erase(0, 5);
  return title;
}

}  // namespace cucore::perf
