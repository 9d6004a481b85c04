// SPDX-License-Identifier: Apache-2.0
#include "core/compile/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/compile/worker_message.hpp"
#include "driver/nvrtc.hpp"
#include "support/concat.hpp"
#include "support/descriptors.hpp"
#include "support/environment.hpp"
#include "support/loaded_file.hpp"

namespace cucore::core {
namespace {

using Clock = std::chrono::steady_clock;
constexpr uint64_t LARGEST_REPLY = uint64_t{1} << 31;
constexpr std::chrono::seconds GRACE{1};  // time for a worker to end that has closed its socket

std::string reason() { return std::system_category().message(errno); }

// Workers must use the compiler that this process has found. In a set-user-ID program, the user's
// environment does not reach a process with its rights.
std::vector<std::string> workers_environment() {
  std::vector<std::string> out;
  each_variable([&](const char* variable) {
    if (!has_more_rights_than_its_user() && strncmp(variable, "CUCORE_NVRTC=", 13) != 0)
      out.emplace_back(variable);
  });
  out.push_back("CUCORE_NVRTC=" + driver::nvrtc().path);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& string : strings) out.push_back(string.data());
  out.push_back(nullptr);
  return out;
}

// If the program ignores SIGCHLD, the system keeps no exit status. Another part of the program that
// waits for every child may have taken it.
constexpr int UNKNOWN = -1;

// As waitpid; returns nullopt if the process runs beyond `end`.
std::optional<int> wait_until(pid_t pid, Clock::time_point end) {
  constexpr std::chrono::milliseconds BETWEEN_LOOKS{2};
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(pid, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (Clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(BETWEEN_LOOKS);
  }
  return ended < 0 ? UNKNOWN : status;
}

void end_process(pid_t pid) {
  // The number of a process that has ended may be that of another.
  if (wait_until(pid, Clock::now())) return;
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::string Worker::find_program() {
  std::string tried;
  std::vector<std::string> places;
  if (const std::string chosen = environment("CUCORE_WORKER"); !chosen.empty())
    places = {chosen};
  else if (const std::string folder = own_folder(); !folder.empty())
    for (const char* place : {"/", "/../libexec/cucore/", "/../../libexec/cucore/"})
      places.push_back(folder + place + "cucore-worker");
  for (const std::string& place : places) {
    if (access(place.c_str(), X_OK) == 0) return place;
    tried += concat(tried.empty() ? "" : ", ", place, " (", reason(), ")");
  }
  throw Error(Status::NOT_FOUND, concat("cannot find the program of the workers: tried ", tried,
                                        "; set CUCORE_WORKER to the path of cucore-worker"));
}

void Worker::start() {
  const std::string program = find_program();
  require_descriptors("start " + program);
  // A socket instead of a pipe, because a write to a dead process then raises no signal.
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(Status::IO, "cannot start a worker: " + reason());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &signals_);
  std::vector<std::string> arguments = {program}, variables = workers_environment();
  const int failure = posix_spawn(&pid_, program.c_str(), &actions, &attributes,
                                  pointers(arguments).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  to_ = from_ = ends[0];
  if (failure == 0) return;
  pid_ = -1;
  close(std::exchange(from_, -1));
  throw Error(Status::IO,
              concat("cannot start ", program, ": ", std::system_category().message(failure)));
}

void Worker::stop() {
  if (pid_ < 0) return;
  close(std::exchange(from_, -1));
  end_process(std::exchange(pid_, -1));
}

std::string Worker::how_it_died() {
  const int failure = std::exchange(socket_failure_, 0);
  close(std::exchange(from_, -1));
  // Its end of the socket is closed: it is dead or ending, unless it closed only the socket.
  const std::optional<int> ended = wait_until(pid_, Clock::now() + GRACE);
  if (!ended) {
    end_process(std::exchange(pid_, -1));
    return "it left its socket and did not end";
  }
  pid_ = -1;
  const int status = *ended;
  if (failure != 0)
    return concat("the socket to it failed: ", std::system_category().message(failure));
  if (status == UNKNOWN)
    return "how it ended is unknown: the program ignores SIGCHLD or waits for every process";
  if (WIFEXITED(status) && WEXITSTATUS(status) > SOCKET_FAILED)
    return concat("its socket failed: ",
                  std::system_category().message(WEXITSTATUS(status) - SOCKET_FAILED));
  if (WIFSIGNALED(status)) return concat("it was ended by ", sigdescr_np(WTERMSIG(status)));
  return concat("it ended with ", WEXITSTATUS(status));
}

Worker::Fate Worker::transfer(int fd, bool writes, char* data, size_t size, Clock::time_point end) {
  while (size > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd ready{fd, static_cast<short>(writes ? POLLOUT : POLLIN), 0};
    const int wait = time_limit_.count() == 0
                         ? -1
                         : static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30));
    const int count = poll(&ready, 1, wait);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) return Fate::TOO_SLOW;
    const ssize_t done = writes ? send(fd, data, size, MSG_NOSIGNAL) : recv(fd, data, size, 0);
    if (done < 0 && errno == EINTR) continue;
    // The exit of a dead worker is more informative than its socket.
    if (done < 0 && errno != EPIPE && errno != ECONNRESET) socket_failure_ = errno;
    if (done <= 0) return Fate::DIED;
    data += done;
    size -= static_cast<size_t>(done);
  }
  return Fate::ANSWERED;
}

Worker::Fate Worker::exchange(const std::string& request, std::string& answer) {
  const auto end = Clock::now() + time_limit_;
  uint64_t size = request.size();
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  framed += request;
  Fate fate = transfer(to_, true, framed.data(), framed.size(), end);
  if (fate != Fate::ANSWERED) return fate;
  fate = transfer(from_, false, reinterpret_cast<char*>(&size), sizeof size, end);
  if (fate != Fate::ANSWERED) return fate;
  if (size > LARGEST_REPLY) return Fate::DIED;
  try {
    answer.resize(size);
  } catch (...) {
    stop();  // the next job would read this answer
    throw;
  }
  return transfer(from_, false, answer.data(), answer.size(), end);
}

NvrtcResult Worker::run(const NvrtcJob& job) {
  const std::string request = pack(job);
  std::string death;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (pid_ < 0) start();
    std::string answer;
    const Fate fate = exchange(request, answer);
    if (fate == Fate::ANSWERED) return unpack_result(answer, job.expressions.size());
    if (fate == Fate::TOO_SLOW) {
      stop();
      throw Error(Status::COMPILATION, concat("cannot ", job.what, ": it took longer than ",
                                              time_limit_.count(), " ms"));
    }
    death = how_it_died();
  }
  throw Error(Status::COMPILATION,
              concat("cannot ", job.what, ": the process of the compiler died twice; ", death));
}

}  // namespace cucore::core
