// SPDX-License-Identifier: Apache-2.0
// Contents that the process holds are shared by equal containers, and nothing is checked less.
#include "container/known_contents.hpp"

#include <thread>

#include "container_testing.hpp"

namespace cucore::container {
namespace {

using namespace testing;

// Each test has contents of its own, because the table is one for the process.
Code code_of(std::string name) {
  Code code = rich_code();
  code.name = std::move(name);
  return code;
}

Status status_of_shared(const Bytes& bytes, const ReadOptions& options = {}) {
  try {
    read_shared(bytes, options);
  } catch (const Error& error) {
    return error.status();
  }
  return Status::OK;
}

TEST(KnownContents, AreSharedWhileTheyAreHeld) {
  const Bytes bytes = write(code_of("held"));
  auto first = read_shared(bytes).code;
  EXPECT_TRUE(*first == code_of("held"));
  EXPECT_EQ(read_shared(bytes).code, first);
  const std::weak_ptr<const Code> ended = first;
  first.reset();
  EXPECT_TRUE(ended.expired()) << "the table holds contents";
  EXPECT_TRUE(*read_shared(bytes).code == code_of("held"));
}

TEST(KnownContents, AreThoseWrittenIfTheReadOnesAreEqual) {
  const auto written = std::make_shared<const Code>(code_of("written"));
  const Parts parts = write_parts(*written);
  KnownContents::add_written(parts.digest(), written);
  EXPECT_EQ(KnownContents::find(parts.digest()), nullptr) << "used without a read";
  EXPECT_EQ(read_shared(parts.bytes()).code, written);
  EXPECT_EQ(read_shared(parts.bytes()).code, written);
}

// A container without symbols has those of its image.
TEST(KnownContents, AreNotThoseWrittenIfTheReadOnesDiffer) {
  Code code = code_of("differs");
  code.symbols.clear();
  const auto written = std::make_shared<const Code>(code);
  const Parts parts = write_parts(*written);
  KnownContents::add_written(parts.digest(), written);
  const auto first = read_shared(parts.bytes()).code;
  EXPECT_FALSE(first->symbols.empty());
  EXPECT_EQ(read_shared(parts.bytes()).code, first);
}

TEST(KnownContents, AreRefusedAfterEveryFlip) {
  const Bytes bytes = write(code_of("flipped"));
  const auto held = read_shared(bytes).code;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes changed = bytes;
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_EQ(status_of_shared(changed), Status::INVALID_CODE) << bit;
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(status_of_shared(longer), Status::INVALID_CODE);
}

TEST(KnownContents, AreCheckedByTheOptionsOfEachRead) {
  const Bytes plain = write(code_of("options"));
  const Bytes bytes = write(code_of("options"), {.sign = hmac_key()});
  const auto held = read_shared(plain).code;
  const auto signed_one = read_shared(bytes);
  EXPECT_EQ(signed_one.signature.state, SignatureState::UNKNOWN_KEY);
  EXPECT_EQ(read_shared(bytes, required(hmac_key())).signature.state, SignatureState::VALID);
  EXPECT_EQ(read_shared(bytes, required(hmac_key())).code, signed_one.code);
  EXPECT_EQ(status_of_shared(bytes, required(hmac_key("other"))), Status::SIGNATURE);
  EXPECT_EQ(status_of_shared(plain, required(hmac_key())), Status::SIGNATURE);
  ReadOptions small;
  small.max_image_size = 16;
  EXPECT_EQ(status_of_shared(plain, small), Status::INVALID_CODE);
  Bytes damaged = bytes;
  damaged[damaged.size() - sizeof(SignatureRecord) + 24] ^= std::byte{1};  // in no digest
  EXPECT_EQ(status_of_shared(damaged, required(hmac_key())), Status::SIGNATURE);
}

TEST(KnownContents, MayBeReadByManyThreads) {
  const Bytes bytes = write(code_of("threads"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n)
        if (!(*read_shared(bytes).code == code_of("threads"))) ADD_FAILURE();
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(KnownContents, LeaveNothingBehindInTheTable) {
  for (int i = 0; i < 1000; ++i) read_shared(write(code_of("many" + std::to_string(i))));
  const Bytes bytes = write(code_of("last"));
  const auto held = read_shared(bytes).code;
  EXPECT_EQ(read_shared(bytes).code, held);
}

}  // namespace
}  // namespace cucore::container
