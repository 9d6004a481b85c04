// SPDX-License-Identifier: Apache-2.0
// The images that a linker would leave out, and safe queries of damaged ones.
#include "image/linkable.hpp"

#include <cstring>

#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

Image image_of(CodeType type, const char* file) {
  Image image;
  image.type = type;
  image.bytes = load_image(file);
  if (type == CodeType::PTX) image.bytes.push_back(std::byte{0});
  return image;
}

bool is_left_out(CodeType type, const char* file) {
  return is_linked_already(image_of(type, file), SM90, false);
}

TEST(Linkable, WholeProgramsAreNot) {
  EXPECT_TRUE(is_left_out(CodeType::CUBIN, "saxpy_sm90.cubin"));
  EXPECT_FALSE(is_left_out(CodeType::PTX, "saxpy.ptx"));
  EXPECT_FALSE(is_left_out(CodeType::LTOIR, "saxpy.ltoir"));
}

TEST(Linkable, RelocatableMachineCodeIs) {
  Image cubin = image_of(CodeType::CUBIN, "saxpy_sm90.cubin");
  cubin.bytes[16] = std::byte{1};  // e_type: ET_REL
  EXPECT_FALSE(is_linked_already(cubin, SM90, false));
}

// A host object whose section .note.GNU-stack is named so and has a byte.
Bytes object_with(std::string_view section) {
  Bytes object = load_image("host_object.bin");
  const std::string_view text(reinterpret_cast<const char*>(object.data()), object.size());
  const size_t name = text.find(".note.GNU-stack");
  std::string wanted(section);
  wanted.resize(15, '\0');
  std::memcpy(object.data() + name, wanted.data(), wanted.size());
  uint64_t table = 0;
  std::memcpy(&table, object.data() + 40, sizeof table);
  return changed_at<uint64_t>(object, table + 4 * 64 + 32, 1);
}

bool is_left_out(CodeType type, Bytes bytes) {
  Image image;
  image.type = type;
  image.bytes = std::move(bytes);
  return is_linked_already(image, SM90, false);
}

TEST(Linkable, HostObjectsSayItByTheirSections) {
  EXPECT_TRUE(is_left_out(CodeType::OBJECT, object_with(".nv_fatbin")));
  EXPECT_FALSE(is_left_out(CodeType::OBJECT, object_with("__nv_relfatbin")));
  EXPECT_FALSE(is_left_out(CodeType::OBJECT, object_with(".comment"))) << "host code alone";
}

Bytes archive_of(const std::vector<Bytes>& members) {
  std::string text = "!<arch>\n";
  for (const Bytes& member : members) {
    std::string header(58, ' ');
    const std::string size = std::to_string(member.size());
    header.replace(48, size.size(), size);
    text += header + "`\n";
    text.append(reinterpret_cast<const char*>(member.data()), member.size());
    if (member.size() % 2 != 0) text += '\n';
  }
  return bytes_of(text);
}

TEST(Linkable, ArchivesHoldOneThatCanBeLinkedOrNone) {
  const Bytes whole = object_with(".nv_fatbin"), part = object_with("__nv_relfatbin"),
              host = object_with(".comment"),
              cut = bytes_of(
                  "\x7f"
                  "ELF cut"),
              text = bytes_of("a text");
  const auto archive = [](const std::vector<Bytes>& members) {
    return is_left_out(CodeType::LIBRARY, archive_of(members));
  };
  EXPECT_TRUE(archive({whole}));
  EXPECT_TRUE(archive({cut, text, host, whole}));
  EXPECT_FALSE(archive({whole, part}));
  EXPECT_FALSE(archive({part, whole, cut}));
  EXPECT_FALSE(archive({host, cut, text}));
  EXPECT_FALSE(archive({}));
}

}  // namespace
}  // namespace cucore::image
