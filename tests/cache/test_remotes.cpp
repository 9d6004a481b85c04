// SPDX-License-Identifier: Apache-2.0
// Remotes with real servers: a shared folder, nginx with WebDAV, Redis.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "cache_testing.hpp"

extern char** environ;

namespace {

using namespace cache_test;

int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

bool answers(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_up = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return is_up;
}

std::string find_program(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/bin/"})
    if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
  return {};
}

// A server that runs as long as this object lives.
class Server {
 public:
  Server(std::vector<std::string> arguments, int port) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int fd : {1, 2})
      posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ) != 0)
      throw std::runtime_error("cannot start " + arguments[0]);
    posix_spawn_file_actions_destroy(&actions);
    for (int i = 0; i < 1000 && !answers(port); ++i) usleep(10000);
    if (!answers(port)) throw std::runtime_error(arguments[0] + " does not answer");
  }
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  void stop() {
    if (pid_ < 0) return;
    kill(pid_, SIGTERM);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

// Half a second, whatever the load of the machine; correctness must not depend on the load.
cucore_cache_remote_options patient() {
  cucore_cache_remote_options options = CUCORE_CACHE_REMOTE_OPTIONS_INIT;
  options.connect_timeout_ms = 2000;
  options.timeout_ms = 10000;
  return options;
}

Cache with_remote(const std::string& folder, const std::string& url,
                  const cucore_cache_remote_options& options = patient()) {
  Cache cache = open_cache(folder, [](auto& with) {
    with.signing_key = &SECRET;
    with.keys = &SECRET;
    with.key_count = 1;
  });
  MUST(cucore_cache_add_remote_url, cache, url.c_str(), &options);
  return cache;
}

cucore_status count_build(cucore_objectcode** out, cucore_error**, void* count) {
  ++*static_cast<int*>(count);
  *out = cucore_objectcode_retain(make_ptx_code());
  return CUCORE_OK;
}

cucore_cache_outcome get_or_build(cucore_cache* cache, int number, int& builds) {
  const uint8_t key[32] = {static_cast<uint8_t>(number), 9};
  Code code;
  cucore_cache_outcome outcome = CUCORE_CACHE_OUTCOME_NONE;
  MUST(cucore_cache_get_or_build, cache, key, count_build, &builds, code.out(), &outcome);
  EXPECT_TRUE(bytes_of(code) == std::string(PTX, PTX_SIZE));
  return outcome;
}

// Two folders stand for two machines.
void share(const std::string& url, const std::function<void()>& stop) {
  const Folder folder;
  int builds = 0;
  for (int number = 0; number < 20; ++number)
    get_or_build(with_remote(folder / "one", url), number, builds);
  EXPECT_EQ(builds, 20);
  {
    const Cache other = with_remote(folder / "two", url);
    for (int number = 0; number < 20; ++number)
      EXPECT_EQ(get_or_build(other, number, builds), CUCORE_CACHE_OUTCOME_HIT_REMOTE) << number;
    EXPECT_EQ(get_or_build(other, 21, builds), CUCORE_CACHE_OUTCOME_BUILT);
    EXPECT_EQ(statistics(other).hits_remote, 20u);
    EXPECT_EQ(statistics(other).remote_errors, 0u);
  }
  EXPECT_EQ(builds, 21);
  // Entries signed with another key are refused.
  const Cache stranger = open_cache(folder / "three", [](auto& with) {
    static const cucore_key other = {"other", 5, CUCORE_KEY_HMAC_SHA256, 0};
    with.keys = &other;
    with.key_count = 1;
  });
  const cucore_cache_remote_options options = patient();
  MUST(cucore_cache_add_remote_url, stranger, url.c_str(), &options);
  EXPECT_EQ(get_or_build(stranger, 0, builds), CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_EQ(statistics(stranger).remote_refused, 1u);
  // Read-only: queried, never written.
  cucore_cache_remote_options reads = patient();
  reads.read_only = 1;
  get_or_build(with_remote(folder / "four", url, reads), 30, builds);
  EXPECT_EQ(get_or_build(with_remote(folder / "five", url), 30, builds),
            CUCORE_CACHE_OUTCOME_BUILT);
  if (!stop) return;
  stop();
  const Cache alone = with_remote(folder / "six", url);
  for (int number = 0; number < 10; ++number)
    EXPECT_EQ(get_or_build(alone, number, builds), CUCORE_CACHE_OUTCOME_BUILT);
  EXPECT_GE(statistics(alone).remote_errors, 3u);
}

TEST(Remotes, ASharedFolder) {
  const Folder shared;
  share("file://" + shared.path(), nullptr);
  for (const auto& entry : fs::recursive_directory_iterator(shared.path()))
    EXPECT_FALSE(contains(entry.path().string(), ".tmp.")) << "rubbish was left";
}

TEST(Remotes, TheUmaskSaysWhoMayUseASharedFolder) {
  const Folder folder, shared;
  int builds = 0;
  const mode_t before = umask(0);
  get_or_build(with_remote(folder.path(), "file://" + shared.path()), 1, builds);
  umask(before);
  int entries = 0;
  for (const auto& entry : fs::recursive_directory_iterator(shared.path())) {
    ++entries;
    EXPECT_EQ(entry.status().permissions(),
              static_cast<fs::perms>(entry.is_directory() ? 0777 : 0666))
        << entry.path();
  }
  EXPECT_GT(entries, 1);
}

// In containers, processes often have the same number and host.
TEST(Remotes, ASharedFolderWithFilesOfKilledProcesses) {
  const Folder folder, shared;
  int builds = 0;
  get_or_build(with_remote(folder / "one", "file://" + shared.path()), 1, builds);
  const auto files = files_in(shared.path());
  ASSERT_EQ(files.size(), 1u);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  for (int i = 0; i < 2000; ++i)
    write_file(files[0] + ".tmp." + host + "." + std::to_string(getpid()) + "." + std::to_string(i),
               "");
  fs::remove(files[0]);
  get_or_build(with_remote(folder / "two", "file://" + shared.path()), 1, builds);
  EXPECT_EQ(files_in(shared.path()).size(), 1u);
}

TEST(Remotes, Nginx) {
  const std::string nginx = find_program("nginx");
  if (nginx.empty()) GTEST_SKIP() << "nginx is not installed";
  const Folder folder;
  const int port = free_port();
  fs::create_directory(folder / "files");
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  write_file(
      folder / "nginx.conf",
      std::string(geteuid() == 0 ? "user root;\n" : "") + "daemon off;\npid " + (folder / "pid") +
          ";\nerror_log " + (folder / "log") +
          ";\nevents {}\nhttp {\n  access_log off;\n  client_body_temp_path " + (folder / "body") +
          ";\n  proxy_temp_path " + (folder / "proxy") + ";\n  fastcgi_temp_path " +
          (folder / "fastcgi") + ";\n  uwsgi_temp_path " + (folder / "uwsgi") +
          ";\n  scgi_temp_path " + (folder / "scgi") +
          ";\n  server {\n    listen 127.0.0.1:" + std::to_string(port) +
          ";\n    client_max_body_size 64m;\n    root " + (folder / "files") +
          ";\n    location / { dav_methods PUT DELETE; create_full_put_path on; }\n  }\n}\n");
  Server server({nginx, "-c", folder / "nginx.conf", "-p", folder.path()}, port);
  share("http://127.0.0.1:" + std::to_string(port) + "/cucore", [&] { server.stop(); });
  EXPECT_GE(files_in(folder / "files").size(), 21u) << "the layout that other tools use";
}

TEST(Remotes, Redis) {
  const std::string redis = find_program("redis-server");
  if (redis.empty()) GTEST_SKIP() << "redis-server is not installed";
  const Folder folder;
  const int port = free_port();
  Server server({redis, "--port", std::to_string(port), "--bind", "127.0.0.1", "--save", "",
                 "--appendonly", "no", "--dir", folder.path(), "--requirepass", "pass word"},
                port);
  share("redis://:pass word@127.0.0.1:" + std::to_string(port) + "/3", [&] { server.stop(); });
}

TEST(Remotes, UrlsThatNameNoPlaceAreRefused) {
  const Cache cache = open_cache("");
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "gopher://x|redis://", cucore_cache_add_remote_url, cache,
        "gopher://x", nullptr);
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "/no/such/folder", cucore_cache_add_remote_url, cache,
        "file:///no/such/folder", nullptr);
  if (!find_program("redis-server").empty()) {
    FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "port", cucore_cache_add_remote_url, cache,
          "redis://host:port", nullptr);
  }
  cucore_cache_remote_options options = CUCORE_CACHE_REMOTE_OPTIONS_INIT;
  options.read_only = 3;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "read_only", cucore_cache_add_remote_url, cache,
        "file:///tmp", &options);
}

// Every text that the library logs during the life of this object.
struct Listener {
  Listener() {
    const auto receive = [](cucore_log_level, const char* message, void* self) {
      static_cast<Listener*>(self)->text += std::string(message) + "\n";
    };
    MUST(cucore_log_set_callback, receive, CUCORE_LOG_DEBUG, this, nullptr);
  }
  ~Listener() { cucore_log_set_callback(nullptr, CUCORE_LOG_ERROR, nullptr, nullptr, nullptr); }
  std::string text;
};

TEST(Remotes, MessagesRepeatNoPassword) {
  const Cache cache = open_cache("");
  for (const char* url : {"redis://user:hunter2@host:port",
                          "redis://:hunter2@",
                          "redis://:hunter2@host/database",
                          "redis://:a/hunter2@host:port",
                          "redis://:a@hunter2@host:port",
                          "redis://hunter2@host:x",
                          "redis://host:hunter2@host:port",
                          "gopher://user:hunter2@host",
                          "user:hunter2@host",
                          "redis//:hunter2@host",
                          "http//user:hunter2@host://x",
                          "redis://host:hunter2",
                          "redis://:hunter2",
                          "redis://:hunter2/0",
                          "redis://user:hunter2/0",
                          "redis://user:hunter2?x",
                          "redis://:1/hunter2",
                          "redis://[::1]:hunter2",
                          "redis://user:hunter2%40host:port",
                          "redis://hunter2%40host:port",
                          "redis://host:6379/0?password=hunter2",
                          "gopher://user:hunter2",
                          "gopher://host/path?token=hunter2",
                          "gopher://host/#hunter2",
                          "redis:user:hunter2",
                          "redis:/user:hunter2"}) {
    Error error;
    EXPECT_NE(cucore_cache_add_remote_url(cache, url, nullptr, error.out()), CUCORE_OK) << url;
    const std::string message = cucore_error_message(error);
    EXPECT_FALSE(contains(message, "hunter2")) << message;
    EXPECT_FALSE(contains(message, "user")) << message;
  }
  Error error;
  cucore_cache_add_remote_url(cache, "redis://user:hunter2@host:port", nullptr, error.out());
  EXPECT_TRUE(contains(cucore_error_message(error), "redis://***@host:port"));
  cucore_cache_add_remote_url(cache, "redis://host:6379/database", nullptr, error.out());
  EXPECT_TRUE(contains(cucore_error_message(error), "redis://host:6379/database"));
  cucore_cache_add_remote_url(cache, "gopher://[::1]:70/path", nullptr, error.out());
  EXPECT_TRUE(contains(cucore_error_message(error), "gopher://[::1]:70/path"));
  cucore_cache_add_remote_url(cache, "file:///no/such@folder", nullptr, error.out());
  EXPECT_TRUE(contains(cucore_error_message(error), "file:///no/such@folder"));
}

TEST(Remotes, LogsRepeatNoPassword) {
  Listener listener;
  const std::string closed = "127.0.0.1:" + std::to_string(free_port());
  const auto ask = [](cucore_cache* cache) {
    for (uint8_t number = 0; number < 3; ++number) {
      const uint8_t key[32] = {number};
      Code code;
      MUST(cucore_cache_get, cache, key, code.out());
    }
  };
  for (const std::string& url :
       {"redis://user:hunter2@" + closed, "http://user:hunter2@" + closed,
        "http://user:hunt@er2@" + closed + "/folder", "http://" + closed + "/folder?token=hunter2"})
    ask(with_remote("", url));
  cucore_cache_remote own = CUCORE_CACHE_REMOTE_INIT;
  own.name = "https://user:hunter2@host/folder";
  own.get = [](void*, const char*, cucore_cache_receive_fn, void*) {
    return CUCORE_CACHE_ANSWER_FAILED;
  };
  const Cache cache = open_cache("");
  MUST(cucore_cache_add_remote, cache, &own);
  ask(cache);
  EXPECT_TRUE(contains(listener.text, closed)) << "nothing was logged";
  EXPECT_TRUE(contains(listener.text, "https://***@host/folder")) << listener.text;
  EXPECT_FALSE(contains(listener.text, "hunter2")) << listener.text;
  EXPECT_FALSE(contains(listener.text, "user")) << listener.text;
}

}  // namespace
