// Checks archives: members must fill them to the last byte.
#include <algorithm>

#include "container/host_object.hpp"

namespace cucore::container {

namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr uint64_t kMemberHeaderSize = 60;
constexpr uint64_t kSizeOffset = 48;
constexpr uint64_t kSizeDigits = 10;

std::string_view text_at(const ByteView& image, uint64_t offset, uint64_t size,
                         std::string_view part) {
  const ByteView text = image.slice(offset, size, part);
  return {reinterpret_cast<const char*>(text.bytes().data()), size};
}

/// Decimal digits, then blanks.
uint64_t member_size(const ByteView& image, uint64_t at) {
  const std::string_view digits = text_at(image, at + kSizeOffset, kSizeDigits, "a size");
  uint64_t size = 0;
  size_t i = 0;
  for (; i < digits.size() && digits[i] >= '0' && digits[i] <= '9'; ++i) {
    size = size * 10 + static_cast<uint64_t>(digits[i] - '0');
  }
  if (i == 0 || digits.find_first_not_of(' ', i) != digits.npos) {
    image.fail(at + kSizeOffset, "the size of a member is no number");
  }
  return size;
}

/// Members that fill the archive to its last byte.
template <class Action>
void each_member(const ByteView& image, Action action) {
  if (image.size() < kMagic.size() || text_at(image, 0, kMagic.size(), "the magic") != kMagic) {
    image.fail(0, "it does not begin with !<arch>");
  }
  for (uint64_t at = kMagic.size(); at < image.size();) {
    const auto header = text_at(image, at, kMemberHeaderSize, "the header of a member");
    if (!header.ends_with("`\n")) image.fail(at + 58, "the header of a member has no end");
    const uint64_t size = member_size(image, at);
    at += kMemberHeaderSize;
    action(image.slice(at, size, "a member"));
    at += size;
    // Members begin at even offsets; the last one may do without the byte that would fill up.
    if (size % 2 != 0 && at < image.size()) ++at;
  }
}

/// An archive may hold anything; what is no object that can be read holds nothing for devices.
DeviceCode device_code_of_member(const ByteView& member) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  if (member.size() < kElf.size() || text_at(member, 0, kElf.size(), "the magic") != kElf)
    return DeviceCode::NONE;
  try {
    return device_code_of_object(member);
  } catch (const Error&) {
    return DeviceCode::NONE;
  }
}

}  // namespace

void check_library(ByteView image) {
  each_member(image, [](const ByteView&) {});
}

DeviceCode device_code_of_library(ByteView image) {
  DeviceCode found = DeviceCode::NONE;
  each_member(image, [&](const ByteView& member) {
    found = std::max(found, device_code_of_member(member));
  });
  return found;
}

}  // namespace cucore::container
