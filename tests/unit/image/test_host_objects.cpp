// SPDX-License-Identifier: Apache-2.0
// Host objects and archives: only linkers read them, but all of them are checked.
#include "image_testing.hpp"

namespace cucore::image {
namespace {

using namespace testing;

template <class T>
std::string object_after(uint64_t offset, T value) {
  return refusal(CodeType::OBJECT, changed_at(load_image("host_object.bin"), offset, value));
}

TEST(HostObject, Elf) {
  const Bytes object = load_image("host_object.bin");
  EXPECT_EQ(refusal(CodeType::OBJECT, object), "");
  EXPECT_EQ(guess_type(object), CodeType::OBJECT);
  EXPECT_NE(object_after<uint16_t>(16, 2).find("relocatable"), std::string::npos);
  EXPECT_NE(object_after<uint64_t>(40, 1 << 20).find("section table"), std::string::npos);
  EXPECT_NE(object_after<uint8_t>(4, 1), "");
  EXPECT_EQ(accepted_truncations(CodeType::OBJECT, object), 0u);
  shake(CodeType::OBJECT, object, 3, 5000);
  EXPECT_IMAGE_REFUSED("empty", CodeType::OBJECT, Bytes());
  EXPECT_IMAGE_REFUSED("header", CodeType::OBJECT, bytes_of(std::string(64, 'x')));
}

// One section of 4 bytes with one relocation, one symbol, an empty string table.
Bytes coff() {
  Bytes object(20 + 40 + 4 + 10 + 18 + 4);
  object = changed_at<uint16_t>(object, 0, 0x8664);
  object = changed_at<uint16_t>(object, 2, 1);
  object = changed_at<uint32_t>(object, 8, 74);
  object = changed_at<uint32_t>(object, 12, 1);
  object = changed_at<uint32_t>(object, 20 + 16, 4);
  object = changed_at<uint32_t>(object, 20 + 20, 60);
  object = changed_at<uint32_t>(object, 20 + 24, 64);
  object = changed_at<uint16_t>(object, 20 + 32, 1);
  return changed_at<uint32_t>(object, 92, 4);
}

TEST(HostObject, Coff) {
  EXPECT_EQ(refusal(CodeType::OBJECT, coff()), "");
  EXPECT_EQ(guess_type(coff()), CodeType::OBJECT);
  for (const uint64_t offset : {8, 12, 20 + 16, 20 + 20, 20 + 24, 92}) {
    EXPECT_IMAGE_REFUSED("inside", CodeType::OBJECT,
                         changed_at<uint32_t>(coff(), offset, 0xfffffff0));
  }
  EXPECT_IMAGE_REFUSED("no sections", CodeType::OBJECT, changed_at<uint16_t>(coff(), 2, 0));
  EXPECT_IMAGE_REFUSED("section table", CodeType::OBJECT, changed_at<uint16_t>(coff(), 2, 0xffff));
  EXPECT_IMAGE_REFUSED("relocations", CodeType::OBJECT,
                       changed_at<uint16_t>(coff(), 20 + 32, 0xffff));
  EXPECT_EQ(accepted_truncations(CodeType::OBJECT, coff()), 0u);
  shake(CodeType::OBJECT, coff(), 4, 5000);
}

TEST(Library, Archives) {
  const Bytes library = load_image("host_library.bin");
  EXPECT_EQ(refusal(CodeType::LIBRARY, library), "");
  EXPECT_EQ(refusal(CodeType::LIBRARY, bytes_of("!<arch>\n")), "") << "empty, and an archive";
  EXPECT_IMAGE_REFUSED("!<arch>", CodeType::LIBRARY, bytes_of("!<thin>\n"));
  EXPECT_IMAGE_REFUSED("!<arch>", CodeType::LIBRARY, Bytes());
  EXPECT_IMAGE_REFUSED("no end", CodeType::LIBRARY, changed_at<uint8_t>(library, 8 + 58, 0));
  EXPECT_IMAGE_REFUSED("not a number", CodeType::LIBRARY,
                       changed_at<uint8_t>(library, 8 + 48, 'x'));
  EXPECT_IMAGE_REFUSED("not a number", CodeType::LIBRARY,
                       changed_at<uint8_t>(library, 8 + 57, '1'));
  EXPECT_IMAGE_REFUSED("inside", CodeType::LIBRARY, changed_at<uint8_t>(library, 96 + 48, '9'));
  // Only cuts between members leave a valid archive.
  EXPECT_LE(accepted_truncations(CodeType::LIBRARY, library), 4u);
  shake(CodeType::LIBRARY, library, 5, 5000);
}

TEST(Ltoir, OnlyEmptyIsRefused) {
  EXPECT_IMAGE_REFUSED("empty", CodeType::LTOIR, Bytes());
  EXPECT_EQ(refusal(CodeType::LTOIR, Bytes(1)), "");
  EXPECT_THROW(inspect(CodeType::BUNDLE, Bytes(100)), Error);
  EXPECT_THROW(inspect(CodeType{99}, Bytes(100)), Error);
}

}  // namespace
}  // namespace cucore::image
