// SPDX-License-Identifier: Apache-2.0
#include "cache_parts.hpp"

namespace cucore::cache {
namespace {

using container::key_field;
using container::KeyTag;

// A compile of a text that includes a file on the disk.
class Indexing : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("config.h", "#define VALUE 1\n");
    auto access = std::make_unique<container::FileAccess>();
    access->texts = {{"a.cu", "#include \"config.h\"\n"}};
    access->include_paths = {folder_.path()};
    inputs_.files = std::move(access);
    inputs_.fields = {key_field(KeyTag::SOURCE, "a.cu")};
    inputs_.digest = container::digest_of(inputs_.fields);
  }
  Request request() const { return request_of(inputs_, ""); }
  void build(Parts& parts, const std::string& name) {
    Request request = this->request();
    EXPECT_FALSE(parts.manifests.find(request).object);
    std::optional<RecordBuilder> builder;
    parts.manifests.begin_record(request, builder);
    auto record = builder->finish({}, request.key);
    ASSERT_TRUE(record) << builder->problem();
    const container::Digest key = record->result;
    parts.manifests.add(request, std::move(*record));
    parts.tiers.store(request, key, make_object(name));
  }
  std::string find(Parts& parts) const {
    Request request = this->request();
    return name_of(parts.manifests.find(request).object);
  }

  const TemporaryFolder folder_;
  container::BuildInputs inputs_;
};

TEST_F(Indexing, FindsTheResultOfTheSameFiles) {
  Parts parts(folder_ / "a");
  EXPECT_EQ(find(parts), "none");
  build(parts, "one");
  EXPECT_EQ(find(parts), "one");
}

TEST_F(Indexing, AChangedFileIsAMissThatNamesIt) {
  Parts parts(folder_ / "a");
  build(parts, "one");
  folder_.write("config.h", "#define VALUE 22\n");
  Request request = this->request();
  EXPECT_FALSE(parts.manifests.find(request).object);
  EXPECT_NE(request.changed.find("config.h"), std::string::npos) << request.changed;
}

TEST_F(Indexing, EachStateOfTheFilesHasItsResult) {
  Parts parts(folder_ / "a");
  build(parts, "one");
  folder_.write("config.h", "#define VALUE 22\n");
  build(parts, "two");
  EXPECT_EQ(find(parts), "two");
  folder_.write("config.h", "#define VALUE 1\n");
  EXPECT_EQ(find(parts), "one");
}

TEST_F(Indexing, FindsTheManifestOfAnotherProcessOnDisk) {
  Parts first(folder_ / "a"), second(folder_ / "a");
  build(first, "one");
  EXPECT_EQ(find(second), "one");
}

TEST_F(Indexing, ReadsTheDiskWhenNoRecordInMemoryFits) {
  Parts first(folder_ / "a"), second(folder_ / "a");
  build(first, "one");
  EXPECT_EQ(find(second), "one");
  folder_.write("config.h", "#define VALUE 22\n");
  build(first, "two");
  EXPECT_EQ(find(second), "two");
}

TEST_F(Indexing, FindsTheManifestOfARemote) {
  const auto remote = std::make_shared<RemoteFiles>();
  Parts writer(folder_ / "a", signing_settings("secret"));
  writer.share(remote);
  build(writer, "one");
  writer.flush();
  Parts reader(folder_ / "b", signing_settings("secret"));
  reader.share(remote);
  EXPECT_EQ(find(reader), "one");
  EXPECT_EQ(reader.count(Event::HITS_REMOTE), 1u);
}

TEST_F(Indexing, ADamagedManifestIsRemoved) {
  Parts first(folder_ / "a"), second(folder_ / "a");
  build(first, "one");
  const std::string file = folder_ / ("a/" + entry_name(request().key, FileKind::MANIFEST));
  ASSERT_TRUE(std::filesystem::exists(file));
  std::ofstream(file, std::ios::app) << "more";
  EXPECT_EQ(find(second), "none");
  EXPECT_EQ(second.count(Event::CORRUPT), 1u);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Indexing, ClearForgetsWhatIsNotOnDisk) {
  Parts parts(folder_ / "a");
  build(parts, "one");
  const auto remove = [&] {
    std::filesystem::remove(folder_ / ("a/" + entry_name(request().key, FileKind::MANIFEST)));
  };
  remove();
  EXPECT_EQ(find(parts), "one");
  remove();  // the match may have updated the stamps on disk
  parts.manifests.clear();
  EXPECT_EQ(find(parts), "none");
}

}  // namespace
}  // namespace cucore::cache
