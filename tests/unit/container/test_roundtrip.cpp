// SPDX-License-Identifier: Apache-2.0
// Reading returns the written values, in every field, and the bytes are always the same.
#include <algorithm>

#include "container/metadata.hpp"
#include "container_testing.hpp"

namespace cucore::container {
namespace {

using namespace testing;

Code code_of(CodeType type, std::string_view bytes) {
  Code code;
  code.type = type;
  code.bytes = bytes_of(bytes);
  return code;
}

void expect_round_trip(const Code& code, const WriteOptions& options = {}) {
  const Bytes bytes = write(code, options);
  EXPECT_TRUE(read(bytes) == code);
  EXPECT_TRUE(write(read(bytes), options) == bytes);
}

TEST(RoundTrip, EveryFieldOfARichCode) {
  expect_round_trip(rich_code());
  expect_round_trip(rich_code(), {.compress = true});
  expect_round_trip(rich_code(), {.compress = true, .sign = hmac_key()});
  expect_round_trip(rich_code(), {.sign = ed25519_key()});
}

MetadataSet parsed(std::string_view json) {
  image::MemoryBudget budget(json.size());
  const Bytes bytes = bytes_of(json);
  return parse_metadata(image::ByteView("META", bytes), budget);
}

// The first of each pair is plain. The second is not, so the general parser reads it.
TEST(RoundTrip, MetadataHasOneMeaningInEveryForm) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {R"({"a":"x","b":12,"c":["y","z"]})", R"({ "a": "x", "b": 12, "c": ["y", "z"] })"},
      {R"({"a":"-DN=\"x\\y\""})", R"({"a":"\u002dDN=\"x\\y\""})"},
      {R"({"a\"":-999999999999999999,"b":0,"c":[]})",
       R"({"a\u0022":-999999999999999999,"b":0,"c":[]})"},
      {R"({"images":[{"k":1},{"k":["v"]}],"z":""})",
       R"({"images":[{"k":1},{"k":["v"]}],"z":""} )"}};
  for (const auto& [plain, general] : pairs) {
    const MetadataSet expected = parsed(general);
    EXPECT_FALSE(expected.own.empty());
    EXPECT_TRUE(parsed(plain).own == expected.own) << plain;
    EXPECT_TRUE(parsed(plain).images == expected.images) << plain;
  }
  const auto of = [](std::string_view json) { return parsed(json).own.at("a"); };
  EXPECT_EQ(of(R"({"a":999999999999999999})"), MetadataValue(int64_t{999999999999999999}));
  EXPECT_EQ(of(R"({"a":9223372036854775807})"), MetadataValue(INT64_MAX));
  EXPECT_EQ(of(R"({"a":"q\"\\"})"), MetadataValue("q\"\\"));
  EXPECT_EQ(of("{\"a\":\"\xc3\xa4\"}"), MetadataValue("\xc3\xa4"));
}

TEST(RoundTrip, TheLeastThereCanBe) {
  Code code = code_of(CodeType::LTOIR, "x");
  expect_round_trip(code);
  code.source = "";
  code.key = Key();
  code.arch = {121, false, 'f'};
  code.ptx_isa = 65535;
  code.toolkit = 65535;
  expect_round_trip(code);
}

TEST(RoundTrip, UnknownAndEmptyParametersStayApart) {
  Code code = code_of(CodeType::LTOIR, "x");
  code.symbols = {{"a", "a", SymbolKind::KERNEL, 0, std::nullopt},
                  {"b", "b", SymbolKind::KERNEL, 0, std::vector<Parameter>()},
                  {"", "c", SymbolKind::KERNEL, 0, std::vector<Parameter>{{0, 4, 0}, {8, 8, 8}}},
                  {"", "d", SymbolKind::GLOBAL, UINT64_MAX, std::nullopt}};
  expect_round_trip(code);
}

TEST(RoundTrip, MetadataOfEveryShape) {
  Code code = code_of(CodeType::LTOIR, "x");
  code.metadata = {{"", ""},
                   {"\x01\n\"\\", "control \x7f"},
                   {"a", int64_t{0}},
                   {"b", INT64_MIN},
                   {"c", INT64_MAX},
                   {"d", std::vector<std::string>()},
                   {"e", std::vector<std::string>{"", "𝄞", "ü"}},
                   {"ü", "above ASCII"}};
  expect_round_trip(code);
}

TEST(RoundTrip, ABundleKeepsItsImagesAndTheirMetadata) {
  const Code first = rich_code();
  Code second = code_of(CodeType::LTOIR, "ltoir");
  second.arch = {90, true, 0};
  second.log = "second";
  const Code* codes[] = {&first, &second};
  Code bundle = make_bundle(codes, "both");
  EXPECT_EQ(bundle.images.size(), 2u);
  EXPECT_EQ(bundle.image_metadata.at(0), first.metadata);
  EXPECT_EQ(bundle.log, "scale.cu(3): warning\nsecond");
  expect_round_trip(bundle);
  expect_round_trip(bundle, {.compress = true, .sign = hmac_key()});
  Code third = second;
  third.bytes.push_back(std::byte{1});
  const Code* again[] = {&bundle, &third};
  bundle = make_bundle(again, "three");
  EXPECT_EQ(bundle.images.size(), 3u);
  EXPECT_EQ(bundle.dependencies.size(), 1u);
  expect_round_trip(bundle);
}

TEST(RoundTrip, EqualValuesGiveEqualBytes) {
  EXPECT_TRUE(write(rich_code()) == write(rich_code()));
  EXPECT_TRUE(write(rich_code(), {.compress = true}) == write(rich_code(), {.compress = true}));
  EXPECT_FALSE(write(rich_code()) == write(ptx_code()));
}

TEST(RoundTrip, PartsHaveTheBytesOfTheirContainer) {
  for (const Code& code : {rich_code(), ptx_code()}) {
    const Parts parts = write_parts(code);
    const Bytes file = write(code);
    EXPECT_EQ(parts.bytes(), file);
    for (int repetition = 0; repetition < 2; ++repetition) {
      Bytes copy(parts.size(), std::byte{0xff});
      parts.copy_to(copy.data());
      EXPECT_EQ(copy, file);
    }
  }
}

TEST(RoundTrip, CompressionIsUsedOnlyWhereItHelps) {
  const Code small = code_of(CodeType::LTOIR, "x");
  EXPECT_TRUE(write(small, {.compress = true}) == write(small));
  Code zeros = code_of(CodeType::LTOIR, "");
  zeros.bytes.assign(8 << 20, std::byte{0});
  const Bytes bytes = write(zeros, {.compress = true});
  EXPECT_GT(bytes.size(), zeros.bytes.size()) << "more than 1000 times smaller would not be read";
  expect_round_trip(zeros, {.compress = true});
  const Code big = ptx_code(100000);
  EXPECT_LT(write(big, {.compress = true}).size(), write(big).size() / 2);
}

TEST(RoundTrip, WhatNoContainerCanHoldIsRefused) {
  const auto refused = [](Code code) {
    try {
      write(code);
    } catch (const Error& error) {
      return error.status() == Status::INVALID_ARGUMENT;
    }
    return false;
  };
  const auto changed = [&](auto change) {
    Code code = rich_code();
    change(code);
    return refused(std::move(code));
  };
  using namespace std::string_literals;
  EXPECT_TRUE(changed([](Code& c) { c.name = "a\0b"s; }));
  EXPECT_TRUE(changed([](Code& c) { c.name = "\xff"; }));
  EXPECT_TRUE(changed([](Code& c) { c.log = "a\0"s; }));
  EXPECT_TRUE(changed([](Code& c) { c.source = "\xc0\x80"; }));
  EXPECT_TRUE(changed([](Code& c) { c.bytes.clear(); }));
  EXPECT_TRUE(changed([](Code& c) { c.bytes.pop_back(); })) << "a PTX without its NUL";
  EXPECT_TRUE(changed([](Code& c) { c.bytes.push_back({}); })) << "a PTX with two";
  EXPECT_TRUE(changed([](Code& c) { c.type = CodeType::BUNDLE; }));
  EXPECT_TRUE(changed([](Code& c) { c.type = CodeType{}; }));
  EXPECT_TRUE(changed([](Code& c) { c.images.resize(2); }));
  EXPECT_TRUE(changed([](Code& c) { c.image_metadata.resize(1); }));
  EXPECT_TRUE(changed([](Code& c) { c.symbols[0].lowered_name.clear(); }));
  EXPECT_TRUE(changed([](Code& c) { c.symbols[0].size = 1; }));
  EXPECT_TRUE(changed([](Code& c) { c.arch = {0, true, 0}; }));
  EXPECT_TRUE(changed([](Code& c) { c.metadata["images"] = "taken"; }));
  EXPECT_TRUE(changed([](Code& c) { c.metadata["a"] = "\xff"; }));
  EXPECT_TRUE(changed([](Code& c) { c.metadata["a"] = std::string(2 << 20, 'x'); }));
}

TEST(RoundTrip, BundlesOfTheWrongThingsAreRefused) {
  const Code ptx = ptx_code();
  const Code object = code_of(CodeType::OBJECT, "x");
  const Code* one[] = {&ptx};
  const Code* wrong[] = {&ptx, &object};
  EXPECT_THROW(make_bundle(one, ""), Error);
  EXPECT_THROW(make_bundle(wrong, ""), Error);
  EXPECT_THROW(make_bundle({}, ""), Error);
}

TEST(RoundTrip, PtxKeepsOneNulThatDataDoesNotCount) {
  const std::string text = ptx_text();
  for (const size_t zeros : {0u, 1u, 9u}) {
    const Code code = make_code(CodeType::PTX, bytes_of(text + std::string(zeros, '\0')), "n");
    EXPECT_EQ(code.bytes.size(), text.size() + 1);
    EXPECT_EQ(code.data().size(), text.size());
    EXPECT_EQ(code.bytes.back(), std::byte{0});
  }
}

}  // namespace
}  // namespace cucore::container
