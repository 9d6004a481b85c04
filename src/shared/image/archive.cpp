// SPDX-License-Identifier: Apache-2.0
// Checks archives: members must fill them to the last byte.
#include <algorithm>
#include <charconv>
#include <optional>

#include "image/host_object.hpp"

namespace cucore::image {

namespace {

constexpr std::string_view MAGIC = "!<arch>\n";
constexpr uint64_t MEMBER_HEADER_SIZE = 60;
constexpr uint64_t NAME_SIZE = 16;
constexpr uint64_t SIZE_OFFSET = 48;
constexpr uint64_t SIZE_DIGITS = 10;

std::string_view text_at(const ByteView& image, uint64_t offset, uint64_t size,
                         std::string_view part) {
  const ByteView text = image.slice(offset, size, part);
  return {reinterpret_cast<const char*>(text.bytes().data()), size};
}

std::string_view trimmed(std::string_view field) {
  return field.substr(0, field.find_last_not_of(' ') + 1);
}

// Parses decimal digits that are followed by blanks.
uint64_t member_size(const ByteView& image, uint64_t at) {
  const std::string_view digits = text_at(image, at + SIZE_OFFSET, SIZE_DIGITS, "a size");
  uint64_t size = 0;
  size_t i = 0;
  for (; i < digits.size() && digits[i] >= '0' && digits[i] <= '9'; ++i)
    size = size * 10 + static_cast<uint64_t>(digits[i] - '0');
  if (i == 0 || digits.find_first_not_of(' ', i) != digits.npos)
    image.fail(at + SIZE_OFFSET, "the size of a member is not a number");
  return size;
}

// Calls `action` for each member with the name field of its header. The members must fill the
// archive to its last byte.
template <class Action>
void each_entry(const ByteView& image, Action action) {
  if (image.size() < MAGIC.size() || text_at(image, 0, MAGIC.size(), "the magic") != MAGIC)
    image.fail(0, "it does not begin with !<arch>");
  for (uint64_t at = MAGIC.size(); at < image.size();) {
    const auto header = text_at(image, at, MEMBER_HEADER_SIZE, "the header of a member");
    if (!header.ends_with("`\n")) image.fail(at + 58, "the header of a member has no end");
    const uint64_t size = member_size(image, at);
    at += MEMBER_HEADER_SIZE;
    action(trimmed(header.substr(0, NAME_SIZE)), image.slice(at, size, "a member"));
    at += size;
    // Members begin at even offsets; the padding byte of the last one may be absent.
    if (size % 2 != 0 && at < image.size()) ++at;
  }
}

std::string_view text_of(const ByteView& member) {
  return {reinterpret_cast<const char*>(member.bytes().data()), member.size()};
}

// Any number of members may share a name, so one that is too long for a file is not searched.
constexpr size_t LONGEST_NAME = 4096;

// Returns the decimal number that follows a prefix of the field; nullopt without one.
std::optional<size_t> number_after(std::string_view field, std::string_view prefix) {
  size_t number = 0;
  if (!field.starts_with(prefix)) return std::nullopt;
  field.remove_prefix(prefix.size());
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// Returns "helper.o" for "helper.o/". In "/12" the number is the offset of the name in the table of
// long names, in which each ends with "/\n". In BSD's "#1/12" it is the length of a name before the
// member's bytes.
std::string_view name_of(std::string_view field, std::string_view long_names,
                         std::string_view bytes) {
  if (const auto length = number_after(field, "#1/")) {
    const std::string_view name = bytes.substr(0, std::min(*length, LONGEST_NAME));
    return name.substr(0, name.find('\0'));
  }
  if (const auto at = number_after(field, "/")) {
    if (*at >= long_names.size()) return field;
    field = long_names.substr(*at, LONGEST_NAME);
    field = field.substr(0, field.find('\n'));
  } else if (field.size() > 1 && field[0] == '/') {
    return field;
  }
  return field.substr(0, field.rfind('/'));
}

bool is_index(std::string_view field) {
  return field == "/" || field == "//" || field == "/SYM64/" || field.starts_with("__.SYMDEF");
}

// An archive may contain anything; a member that is not a readable object has no device code.
DeviceCode device_code_of_member(const ByteView& member) {
  constexpr std::string_view ELF =
      "\x7f"
      "ELF";
  if (member.size() < ELF.size() || text_at(member, 0, ELF.size(), "the magic") != ELF)
    return DeviceCode::NONE;
  try {
    return device_code_of_object(member);
  } catch (const Error&) {
    return DeviceCode::NONE;
  }
}

}  // namespace

void check_library(ByteView image) {
  each_entry(image, [](std::string_view, const ByteView&) {});
}

void each_member(ByteView archive,
                 const std::function<void(std::string_view name, const ByteView& member)>& action) {
  std::string_view long_names;
  each_entry(archive, [&](std::string_view field, const ByteView& member) {
    if (field == "//") long_names = text_of(member);
    if (!is_index(field)) action(name_of(field, long_names, text_of(member)), member);
  });
}

DeviceCode device_code_of_library(ByteView image) {
  DeviceCode found = DeviceCode::NONE;
  each_entry(image, [&](std::string_view, const ByteView& member) {
    found = std::max(found, device_code_of_member(member));
  });
  return found;
}

}  // namespace cucore::image
