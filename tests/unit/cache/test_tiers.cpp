// SPDX-License-Identifier: Apache-2.0
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "cache_parts.hpp"

namespace {
thread_local int failure_of_reads = 0;  // as errno
}

// Replaces that of the C library in this program.
extern "C" ssize_t read(int fd, void* data, size_t size) {
  if (failure_of_reads == 0) return syscall(SYS_read, fd, data, size);
  errno = failure_of_reads;
  return -1;
}

namespace cucore::cache {
namespace {

class Tiering : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::shared_ptr<RemoteFiles> remote_ = std::make_shared<RemoteFiles>();
};

TEST_F(Tiering, AStoredResultIsInMemoryAndOnDisk) {
  Parts first(folder_ / "a"), second(folder_ / "a");
  first.put(1, "one");
  EXPECT_EQ(first.find(1).outcome, Outcome::HIT_MEMORY);
  const Result result = second.find(1);
  EXPECT_EQ(result.outcome, Outcome::HIT_DISK);
  EXPECT_EQ(name_of(result.object), "one");
  EXPECT_EQ(first.count(Event::STORES), 1u);
}

TEST_F(Tiering, AResultFromDiskIsInMemoryAfterwards) {
  Parts first(folder_ / "a"), second(folder_ / "a");
  first.put(1, "one");
  const Result from_disk = second.find(1);
  const Result from_memory = second.find(1);
  EXPECT_EQ(from_memory.outcome, Outcome::HIT_MEMORY);
  EXPECT_EQ(from_memory.object.get(), from_disk.object.get());
}

TEST_F(Tiering, AResultFromARemoteIsInMemoryAndOnDiskAfterwards) {
  Parts writer(folder_ / "a", signing_settings("secret"));
  writer.share(remote_);
  writer.put(1, "one");
  writer.flush();
  ASSERT_EQ(remote_->size(), 1u);
  Parts reader(folder_ / "b", signing_settings("secret")), later(folder_ / "b");
  reader.share(remote_);
  EXPECT_FALSE(reader.find(1).object);
  EXPECT_EQ(reader.tiers.find_remote(request_for(1), key_of(1)).outcome, Outcome::HIT_REMOTE);
  EXPECT_EQ(reader.find(1).outcome, Outcome::HIT_MEMORY);
  EXPECT_EQ(later.find(1).outcome, Outcome::HIT_DISK);
}

TEST_F(Tiering, ARemoteResultOfAnotherSignerIsRefused) {
  Parts writer(folder_ / "a", signing_settings("another secret"));
  writer.share(remote_);
  writer.put(1, "one");
  writer.flush();
  Parts reader(folder_ / "b", signing_settings("secret"));
  reader.share(remote_);
  EXPECT_FALSE(reader.tiers.find_remote(request_for(1), key_of(1)).object);
  EXPECT_EQ(reader.count(Event::REMOTE_REFUSED), 1u);
  EXPECT_EQ(reader.count(Event::REMOTE_MISSES), 1u);
  EXPECT_FALSE(reader.find(1).object);
}

TEST_F(Tiering, WithoutASigningKeyNothingIsShared) {
  Parts writer(folder_ / "a");
  writer.share(remote_);
  writer.put(1, "one");
  writer.flush();
  EXPECT_TRUE(remote_->empty());
}

TEST_F(Tiering, AnEntryOfAnotherKeyIsRemoved) {
  Parts first(folder_ / "a"), second(folder_ / "a");
  first.put(1, "one");
  namespace fs = std::filesystem;
  const fs::path root = folder_ / "a";
  const fs::path other = root / entry_name(key_of(2), FileKind::ENTRY);
  fs::create_directories(other.parent_path());
  fs::copy_file(root / entry_name(key_of(1), FileKind::ENTRY), other);
  EXPECT_FALSE(second.find(2).object);
  EXPECT_EQ(second.count(Event::CORRUPT), 1u);
  EXPECT_FALSE(fs::exists(other));
}

// Memory that is exhausted for a moment does not make the entry wrong.
TEST_F(Tiering, AnEntryThatFindsNoMemoryStays) {
  Parts parts(folder_ / "a"), later(folder_ / "a");
  parts.put(1, "one");
  Codec exhausted = test_codec();
  exhausted.wrap = [](container::Code) -> Ref<const Object> { throw std::bad_alloc(); };
  Tiers tiers(parts.settings, exhausted, parts.store, parts.evictor, parts.statistics);
  EXPECT_FALSE(tiers.find_local(request_for(1), key_of(1)).object);
  EXPECT_EQ(parts.count(Event::CORRUPT), 0u);
  EXPECT_EQ(later.find(1).outcome, Outcome::HIT_DISK);
}

TEST_F(Tiering, AnEntryThatCannotBeReadStays) {
  Parts first(folder_ / "a"), second(folder_ / "a");
  first.put(1, "one");
  failure_of_reads = EIO;
  const Result unread = second.find(1);
  failure_of_reads = 0;
  EXPECT_FALSE(unread.object);
  EXPECT_EQ(second.count(Event::CORRUPT), 0u);
  EXPECT_EQ(second.find(1).outcome, Outcome::HIT_DISK);
}

TEST_F(Tiering, AnEntryOfAnotherTargetDoesNotServeARequest) {
  Parts first(folder_ / "a"), second(folder_ / "a");
  first.put(1, "one");
  container::BuildInputs inputs;
  inputs.target = image::CodeType::CUBIN;
  Request request = request_for(1);
  request.inputs = &inputs;
  EXPECT_FALSE(second.tiers.find_local(request, request.key).object);
}

TEST_F(Tiering, AnEntryLargerThanTheFolderStaysInMemory) {
  Settings settings;
  settings.max_bytes = 4096;
  Parts parts(folder_ / "a", settings), other(folder_ / "a");
  parts.put(1, "small");
  parts.put(2, "large", 60000);
  EXPECT_EQ(parts.count(Event::STORE_FAILURES), 1u);
  EXPECT_EQ(parts.find(2).outcome, Outcome::HIT_MEMORY);
  EXPECT_FALSE(other.find(2).object);
  EXPECT_EQ(name_of(other.find(1).object), "small");
}

TEST_F(Tiering, ClearedMemoryLeavesTheDisk) {
  Parts parts(folder_ / "a");
  parts.put(1, "one");
  parts.tiers.clear_memory();
  EXPECT_EQ(parts.find(1).outcome, Outcome::HIT_DISK);
}

}  // namespace
}  // namespace cucore::cache
