// SPDX-License-Identifier: Apache-2.0
// The use of the arrays after a launch: print, write to files, compare.
#include "result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

#include "failure.hpp"
#include "files.hpp"
#include "print.hpp"
#include "support/counted.hpp"

namespace cucore::cli {
namespace {

Expectation parse_expectation(const std::string& text, const std::vector<Argument>& arguments) {
  const Indexed indexed = parse_indexed(text, "--expect", arguments);
  const Argument& argument = arguments[indexed.index];
  Expectation expectation{indexed.index, {}, true, {}};
  if (!indexed.value.starts_with("file=")) {
    expectation.bytes.resize(argument.type->size);
    try {
      argument.type->parse(indexed.value, expectation.bytes.data());
    } catch (const Failure& failure) {
      throw failure.about(fmt::format("--expect {}", text));
    }
    return expectation;
  }
  expectation.file = indexed.value.substr(5);
  const std::string bytes = read_file(expectation.file);
  if (bytes.size() != argument.bytes.size())
    throw failed(fmt::format("--expect {}: the file has {}, the array {}", text,
                             counted(bytes.size(), "byte"), argument.bytes.size()));
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  expectation.bytes.assign(data, data + bytes.size());
  expectation.is_one_value = false;
  return expectation;
}

bool is_close(const ElementType& type, const std::byte* value, const std::byte* expected,
              double tolerance) {
  if (std::memcmp(value, expected, type.size) == 0) return true;
  const double a = type.as_double(value);
  const double b = type.as_double(expected);
  // NaNs have many bit patterns, and infinity equals only itself.
  if (std::isnan(b)) return std::isnan(a);
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  // Different 64-bit integers may convert to the same double, so the bytes are compared.
  if (tolerance == 0) return a == 0 && b == 0;
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

void compare(const Expectation& expectation, const Argument& argument, double tolerance) {
  std::size_t different = 0;
  std::string first;
  for (std::size_t i = 0; i < argument.count(); ++i) {
    const std::byte* expected =
        expectation.bytes.data() + (expectation.is_one_value ? 0 : i * argument.type->size);
    if (is_close(*argument.type, argument.element(i), expected, tolerance)) continue;
    if (different++ == 0)
      first = fmt::format("element {} is {}, not {}", i, argument.type->format(argument.element(i)),
                          argument.type->format(expected));
  }
  if (different != 0)
    throw failed(fmt::format("argument {} is not as expected: {} of {} {}; {}", expectation.index,
                             different, counted(argument.count(), "element"),
                             different == 1 ? "differs" : "differ", first));
}

double parse_tolerance(const std::string& text) {
  double tolerance = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, tolerance);
  if (error != std::errc() || stop != end || !std::isfinite(tolerance) || tolerance < 0)
    throw usage(fmt::format("--tolerance is '{}'; expected a number of at least 0", text));
  return tolerance;
}

void print_array(std::size_t index, const Argument& argument, std::size_t limit) {
  const std::size_t shown = std::min(limit, argument.count());
  std::string line = fmt::format("[{}] {} x {}:", index, argument.type->name, argument.count());
  for (std::size_t i = 0; i < shown; ++i) line += ' ' + argument.type->format(argument.element(i));
  print("{}{}\n", line, shown < argument.count() ? " ..." : "");
}

// Returns numbers as JSON numbers; nan and inf, which JSON lacks, as text.
Json describe_array(std::size_t index, const Argument& argument, std::size_t limit) {
  Json values = Json::array();
  for (std::size_t i = 0; i < std::min(limit, argument.count()); ++i) {
    const std::string text = argument.type->format(argument.element(i));
    values.push_back(Json::accept(text) ? Json::parse(text) : Json(text));
  }
  return {{"argument", index},
          {"type", argument.type->name},
          {"count", argument.count()},
          {"values", values}};
}

Json show_arrays(const std::vector<Argument>& arguments, std::size_t limit) {
  Json arrays = Json::array();
  for (std::size_t i = 0; limit != 0 && i < arguments.size(); ++i) {
    if (!arguments[i].is_array) continue;
    if (wants_json())
      arrays.push_back(describe_array(i, arguments[i], limit));
    else
      print_array(i, arguments[i], limit);
  }
  return arrays;
}

}  // namespace

ResultRequest parse_results(const std::string& print, const std::vector<std::string>& outputs,
                            const std::vector<std::string>& expectations,
                            const std::string& tolerance, const std::vector<Argument>& arguments) {
  ResultRequest request;
  request.print_count =
      print == "all" ? std::numeric_limits<std::size_t>::max() : parse_count(print, "--print");
  request.tolerance = parse_tolerance(tolerance);
  for (const std::string& text : outputs)
    request.outputs.push_back(parse_indexed(text, "--output", arguments));
  // If an array is written to the standard output, then nothing else is.
  for (const Indexed& output : request.outputs)
    if (output.value == "-") request.leave_output();
  for (const std::string& text : expectations)
    request.expectations.push_back(parse_expectation(text, arguments));
  return request;
}

Json report_results(const ResultRequest& request, const std::vector<Argument>& arguments) {
  Json arrays = show_arrays(arguments, request.print_count);
  for (const Indexed& output : request.outputs) {
    const auto& bytes = arguments[output.index].bytes;
    write_file(output.value, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  for (const Expectation& expectation : request.expectations)
    compare(expectation, arguments[expectation.index], request.tolerance);
  return arrays;
}

}  // namespace cucore::cli
