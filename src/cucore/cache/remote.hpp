// SPDX-License-Identifier: Apache-2.0
// Locations beyond this machine that may have results. They are queried after the disk, receive the
// built results, and are skipped for some time after failures.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cache/store.hpp"

namespace cucore::cache {

enum class RemoteAnswer { DONE, ABSENT, FAILED };

// One remote, implemented by a plug-in or a caller. Called from any thread.
class Remote {
 public:
  virtual ~Remote() = default;
  virtual RemoteAnswer get(const container::Digest& key, FileKind kind, image::Bytes& out) = 0;
  virtual RemoteAnswer put(const container::Digest& key, FileKind kind,
                           std::span<const std::byte> bytes) = 0;
  virtual bool can_write() const = 0;
  virtual std::string name() const = 0;
};

// All remotes, each behind a breaker. After three failures in a row, a remote is skipped for some
// time, which doubles until it answers again.
class Remotes {
 public:
  static constexpr size_t LARGEST = size_t{64} << 20;

  ~Remotes();
  void add(std::unique_ptr<Remote> remote);
  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  bool can_write() const;

  // Queries the remotes in order until `validate` accepts a result.
  bool get(const container::Digest& key, FileKind kind,
           const std::function<bool(image::Bytes)>& validate);
  // Sends later, on a separate thread; entries that exceed the queue are dropped.
  void put(const container::Digest& key, FileKind kind, image::Bytes bytes);
  // Returns whether this thread is in a function of a remote, or is the thread that sends.
  bool is_calling() const;
  bool is_sending() const;
  // The number of entries that were sent, or could not be sent, and a wait for the one after
  // `sent`.
  uint64_t sent() const;
  void wait_for_send(uint64_t sent) const;
  // Waits until all entries have been sent or dropped.
  void flush(std::chrono::milliseconds time);

  // For statistics.
  std::function<void()> on_put;
  std::function<void()> on_failure;

 private:
  struct Guarded {
    std::unique_ptr<Remote> remote;
    std::mutex mutex;
    int failures = 0;
    std::chrono::steady_clock::time_point closed_until{};
    std::chrono::milliseconds pause{0};
    bool is_open();
    void record(RemoteAnswer answer);
  };
  struct Job {
    container::Digest key;
    FileKind kind;
    image::Bytes bytes;
  };
  void send_all();
  void send(const Job& job);
  RemoteAnswer call(Guarded& guarded, const std::function<RemoteAnswer(Remote&)>& work);
  std::vector<std::shared_ptr<Guarded>> list() const;

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Guarded>> remotes_;
  std::atomic<size_t> count_{0};
  mutable std::condition_variable changed_;
  std::deque<Job> queue_;
  size_t queued_ = 0;  // bytes of the jobs in the queue
  bool busy_ = false, stopping_ = false;
  std::thread sender_;
  uint64_t sent_ = 0;
};

}  // namespace cucore::cache
