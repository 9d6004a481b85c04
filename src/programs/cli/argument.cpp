// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel on the command line: scalars and arrays.
#include "argument.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "failure.hpp"
#include "files.hpp"
#include "support/counted.hpp"

namespace cucore::cli {
namespace {

// Removes and returns the text up to a separator, or the whole text.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view front = text.substr(0, at);
  text = at == text.npos ? std::string_view() : text.substr(at + 1);
  return front;
}

// Returns the part after "file=" if the text begins with it.
bool names_file(std::string_view text, std::string& path) {
  constexpr std::string_view PREFIX = "file=";
  if (!text.starts_with(PREFIX)) return false;
  path = text.substr(PREFIX.size());
  return true;
}

void load_file(Argument& argument, const std::string& path) {
  const std::string bytes = read_file(path);
  if (bytes.size() % argument.type->size != 0)
    throw failed(fmt::format("{} has {}, which is not a multiple of {}", path,
                             counted(bytes.size(), "byte"), argument.type->name));
  argument.file = path;
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  argument.bytes.assign(data, data + bytes.size());
}

void resize(Argument& argument, std::size_t count) {
  constexpr std::size_t MOST_BYTES = std::size_t{1} << 40;  // larger than the memory of any device
  if (count > MOST_BYTES / argument.type->size)
    throw usage(fmt::format("an array of {} is too big", counted(count, "element")));
  argument.bytes.resize(count * argument.type->size);
}

void fill(Argument& argument, std::string_view how) {
  const std::size_t size = argument.type->size;
  std::byte* at = argument.bytes.data();
  if (how == "iota") {
    for (std::size_t i = 0; i < argument.count(); ++i) argument.type->count(i, at + i * size);
  } else if (how.starts_with("fill=")) {
    std::byte value[8];
    argument.type->parse(how.substr(5), value);
    for (std::size_t i = 0; i < argument.count(); ++i) std::copy_n(value, size, at + i * size);
  } else if (!how.empty() && how != "zero") {
    throw usage(fmt::format(
        "'{}' does not fill an array; expected zero, iota, fill=VALUE or file=PATH", how));
  }
}

// Parses TYPE:COUNT[:FILL], TYPE:COUNT:file=PATH or TYPE:file=PATH.
void parse_array(Argument& argument, std::string_view rest) {
  argument.type = &element_type(take(rest, ':'));
  std::string path;
  if (names_file(rest, path)) return load_file(argument, path);
  const std::size_t count = parse_count(take(rest, ':'), "the number of elements");
  if (!names_file(rest, path)) {
    resize(argument, count);
    return fill(argument, rest);
  }
  load_file(argument, path);
  if (argument.count() != count)
    throw failed(fmt::format("{} holds {} of {}, not {}", path,
                             counted(argument.count(), "element"), argument.type->name, count));
}

void parse_scalar(Argument& argument, std::string_view type, std::string_view value) {
  argument.type = &element_type(type);
  argument.bytes.resize(argument.type->size);
  argument.type->parse(value, argument.bytes.data());
}

}  // namespace

Argument parse_argument(std::string_view text) {
  Argument argument;
  try {
    std::string_view rest = text;
    const std::string_view first = take(rest, ':');
    argument.is_array = first == "buf";
    if (argument.is_array)
      parse_array(argument, rest);
    else
      parse_scalar(argument, first, rest);
  } catch (const Failure& failure) {
    if (failure.exit_code() != USAGE) throw;
    throw usage(fmt::format("--arg {}: {}; write {}", text, failure.what(),
                            argument.is_array
                                ? "buf:TYPE:COUNT, such as buf:f32:1024:fill=1"
                                : "TYPE:VALUE, such as f32:2.0, or buf:TYPE:COUNT for an array"));
  }
  return argument;
}

Indexed parse_indexed(std::string_view text, std::string_view option,
                      const std::vector<Argument>& arguments) {
  std::string_view rest = text;
  const std::string_view key = take(rest, '=');
  if (rest.empty())
    throw usage(
        fmt::format("{} {}: no '='; write INDEX=..., such as 1=...: arguments are numbered from 0",
                    option, text));
  const std::size_t index = parse_count(key, fmt::format("the argument of {}", option));
  if (index >= arguments.size() || !arguments[index].is_array)
    throw usage(fmt::format("{} {}: argument {} is not an array", option, text, index));
  return {index, std::string(rest)};
}

}  // namespace cucore::cli
