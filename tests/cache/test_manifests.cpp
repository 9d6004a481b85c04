// SPDX-License-Identifier: Apache-2.0
// Manifests that a remote has forged: they are not signed, so they must not lead to the signed
// result of other headers.
#include <gtest/gtest.h>

#include "cache_testing.hpp"
#include "forgery.hpp"

namespace {

using namespace cache_test;

class Manifests : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(share());
    write_file(header(), "#define VALUE 1111\n");
  }
  std::string share() const { return folder_ / "share"; }
  std::string header() const { return folder_ / "config.h"; }

  // Returns the result on a separate machine, and whether it came from the remote.
  std::string compile(const std::string& machine, cucore_cache_outcome& outcome) const {
    const Cache cache = open_cache(folder_ / machine, [](auto& options) {
      options.signing_key = options.keys = &SECRET;
      options.key_count = 1;
    });
    MUST(cucore_cache_add_remote_url, cache, ("file://" + share()).c_str(), nullptr);
    const std::string include = folder_.path();
    const char* const paths[] = {include.c_str()};
    cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
    options.arch = "compute_80";
    options.include_paths = paths;
    options.include_path_count = 1;
    const Program program = make_program(
        "#include <config.h>\nextern \"C\" __global__ void k(int* p) { *p = VALUE; }\n", &options);
    Code code;
    MUST(cucore_cache_compile, cache, program, CUCORE_CODE_TYPE_PTX, nullptr, 0, code.out(),
         &outcome);
    return std::string(bytes_of(code));
  }

  void forge_manifests(Forgery forgery) const {
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(share())) {
      if (entry.path().extension() != ".man") continue;
      const std::string path = entry.path().string();
      write_file(path, forge(read_file(path), forgery));
      ++count;
    }
    ASSERT_EQ(count, 1);
  }

  // The header changes, and the remote claims that it did not.
  void expect_no_stale_result(Forgery forgery) {
    NEEDS_COMPILER();
    cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_NONE;
    EXPECT_TRUE(contains(compile("one", outcome), "1111"));
    EXPECT_TRUE(contains(compile("two", outcome), "1111"));
    EXPECT_EQ(outcome, CUCORE_CACHE_OUTCOME_HIT_REMOTE);
    write_file(header(), "#define VALUE 2222\n");
    forge_manifests(forgery);
    EXPECT_TRUE(contains(compile("three", outcome), "2222"));
    EXPECT_EQ(outcome, CUCORE_CACHE_OUTCOME_BUILT);
  }

  Folder folder_;
};

TEST_F(Manifests, AHeaderIsNoFolderOfTheToolkit) {
  expect_no_stale_result(Forgery::HEADERS_OF_THE_TOOLKIT);
}

TEST_F(Manifests, StampsOfARemoteAreNotBelieved) {
  expect_no_stale_result(Forgery::STAMPS_OF_PRESENT_FILES);
}

}  // namespace
