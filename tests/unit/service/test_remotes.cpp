// SPDX-License-Identifier: Apache-2.0
// Remotes that a table of functions implements, and the choice of a plug-in.
#include <cstring>

#include "service/remote_adapter.hpp"
#include "service/remote_plugin.hpp"
#include "service_testing.hpp"

namespace cucore::service {
namespace {

using cache::FileKind;
using cache::RemoteAnswer;

// Answers as the test has set.
struct Table {
  cucore_cache_answer answer = CUCORE_CACHE_ANSWER_DONE;
  std::string content, name;
  size_t size = 0;  // of the received bytes; 0: the content
  int closes = 0;

  cucore_cache_remote functions() {
    cucore_cache_remote remote = CUCORE_CACHE_REMOTE_INIT;
    remote.context = this;
    remote.name = "redis://user:secret@host/0";
    remote.get = [](void* context, const char* entry, cucore_cache_receive_fn receive,
                    void* receiver) {
      auto& self = *static_cast<Table*>(context);
      self.name = entry;
      const bool is_done = self.answer == CUCORE_CACHE_ANSWER_DONE;
      const size_t size = self.size != 0 ? self.size : self.content.size();
      if (is_done) receive(self.content.empty() ? nullptr : self.content.data(), size, receiver);
      return self.answer;
    };
    remote.put = [](void* context, const char* entry, const void* data, size_t size) {
      auto& self = *static_cast<Table*>(context);
      self.name = entry;
      self.content.assign(static_cast<const char*>(data), size);
      return self.answer;
    };
    remote.close = [](void* context) { ++static_cast<Table*>(context)->closes; };
    return remote;
  }
};

TEST(RemoteAdapter, PassesNamesAndBytes) {
  Table table;
  RemoteAdapter remote(table.functions());
  const std::string text = "content";
  const container::Digest key{};
  EXPECT_EQ(remote.put(key, FileKind::ENTRY, std::as_bytes(std::span(text))), RemoteAnswer::DONE);
  EXPECT_EQ(table.content, text);
  EXPECT_EQ(table.name, cache::entry_name(key, FileKind::ENTRY));
  image::Bytes bytes;
  EXPECT_EQ(remote.get(key, FileKind::MANIFEST, bytes), RemoteAnswer::DONE);
  EXPECT_EQ(table.name, cache::entry_name(key, FileKind::MANIFEST));
  ASSERT_EQ(bytes.size(), text.size());
  EXPECT_EQ(std::memcmp(bytes.data(), text.data(), text.size()), 0);
}

TEST(RemoteAdapter, ConvertsAnswers) {
  Table table;
  RemoteAdapter remote(table.functions());
  const std::pair<int, RemoteAnswer> rows[] = {{CUCORE_CACHE_ANSWER_DONE, RemoteAnswer::DONE},
                                               {CUCORE_CACHE_ANSWER_ABSENT, RemoteAnswer::ABSENT},
                                               {CUCORE_CACHE_ANSWER_FAILED, RemoteAnswer::FAILED},
                                               {77, RemoteAnswer::FAILED}};
  for (const auto& [answer, expected] : rows) {
    table.answer = static_cast<cucore_cache_answer>(answer);
    image::Bytes bytes;
    EXPECT_EQ(remote.get({}, FileKind::ENTRY, bytes), expected);
    EXPECT_EQ(remote.put({}, FileKind::ENTRY, {}), expected);
  }
}

TEST(RemoteAdapter, RefusesBytesThatCannotBeAnEntry) {
  Table table;
  RemoteAdapter remote(table.functions());
  image::Bytes bytes;
  table.size = 8;  // without data
  EXPECT_EQ(remote.get({}, FileKind::ENTRY, bytes), RemoteAnswer::FAILED);
  table.content = "x";
  table.size = cache::Remotes::LARGEST + 1;
  EXPECT_EQ(remote.get({}, FileKind::ENTRY, bytes), RemoteAnswer::FAILED);
}

TEST(RemoteAdapter, ClosesTheContextOnce) {
  Table table;
  { const RemoteAdapter remote(table.functions()); }
  EXPECT_EQ(table.closes, 1);
}

TEST(RemoteAdapter, HidesTheLoginOfItsName) {
  Table table;
  cucore_cache_remote functions = table.functions();
  EXPECT_EQ(RemoteAdapter(functions).name(), "redis://***@host/0");
  functions.name = nullptr;
  EXPECT_EQ(RemoteAdapter(functions).name(), "a remote");
}

TEST(RemoteAdapter, WritesOnlyWithAPut) {
  Table table;
  cucore_cache_remote functions = table.functions();
  EXPECT_TRUE(RemoteAdapter(functions).can_write());
  functions.put = nullptr;
  EXPECT_FALSE(RemoteAdapter(functions).can_write());
}

TEST(RemotePlugin, DependsOnTheScheme) {
  EXPECT_EQ(plugin_of("file:///tmp/a"), "cucore-remote-directory.so");
  EXPECT_EQ(plugin_of("http://host/a"), "cucore-remote-http.so");
  EXPECT_EQ(plugin_of("https://host/a"), "cucore-remote-http.so");
  EXPECT_EQ(plugin_of("redis://host"), "cucore-remote-redis.so");
}

TEST(RemotePlugin, IsRefusedForOtherSchemes) {
  for (const char* url : {"ftp://user:secret@host/a", "user:secret@host", "FILE:///tmp", ""}) {
    try {
      plugin_of(url);
      FAIL() << url;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::INVALID_ARGUMENT);
      EXPECT_EQ(error.message().find("secret"), std::string::npos) << error.message();
      EXPECT_NE(error.message().find("redis://"), std::string::npos) << error.message();
    }
  }
}

// The folder of this test program has no plug-ins.
TEST(RemotePlugin, IsSearchedBesideTheLibrary) {
  const cucore_cache_remote_options options = CUCORE_CACHE_REMOTE_OPTIONS_INIT;
  expect_error(Status::LIBRARY_MISSING, "unit/service/cucore-remote-directory.so",
               [&] { open_remote("file:///tmp/a", options); });
  expect_error(Status::LIBRARY_MISSING, "unit/service/cucore/cucore-remote-directory.so",
               [&] { open_remote("file:///tmp/a", options); });
}

}  // namespace
}  // namespace cucore::service
