// SPDX-License-Identifier: Apache-2.0
#include "cache/counters.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "cache/byte_lock.hpp"
#include "support/per_process.hpp"

namespace cucore::cache {
namespace {

// 100 ms in all, longer than any running process needs.
constexpr int QUICK_ATTEMPTS = 50, ATTEMPTS = 250;
constexpr useconds_t PAUSE = 500;

Descriptor open_file(int folder, const char* name, bool read_only) {
  if (folder < 0) return {};
  // Opening a pipe only for reading would wait for a writer.
  const int flags = (read_only ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(openat(folder, name, flags, 0600));
  struct stat status {};
  if (file && (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))) return {};
  return file;
}

// Two threads of one process share the descriptor, which therefore does not exclude them from each
// other.
std::mutex& threads(size_t index) {
  using Mutexes = std::array<std::mutex, 16>;
  static auto* mutexes = new PerProcess<std::unique_ptr<Mutexes>>;
  return (*mutexes->get([] { return std::make_unique<Mutexes>(); }))[index % 16];
}

// If a stopped process holds the lock, others must not stop, and some file systems have no locks.
// Work then continues without it.
class Held {
 public:
  Held(int fd, off_t at, off_t length, size_t index)
      : lock_(threads(index)), fd_(fd), at_(at), length_(length) {
    for (int i = 0; i < ATTEMPTS && !held_; ++i) {
      held_ = set_lock(fd_, F_WRLCK, at_, length_);
      if (!held_ && errno != EAGAIN && errno != EACCES) return;
      if (!held_ && i < QUICK_ATTEMPTS)
        sched_yield();
      else if (!held_)
        usleep(PAUSE);
    }
  }
  ~Held() {
    if (held_) set_lock(fd_, F_UNLCK, at_, length_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
  const int fd_;
  const off_t at_, length_;
  bool held_ = false;
};

template <class T>
T read_at(const Descriptor& file, off_t at) {
  T value{};
  if (!file || pread(file.get(), &value, sizeof value, at) != ssize_t{sizeof value}) return T{};
  return value;
}

// The numbers of a shard in the file. A hole, a cut end or foreign bytes fail the check.
struct UsageRecord {
  int64_t bytes = 0;
  int64_t files = 0;
  uint64_t check = 0;
};

uint64_t check_of(const UsageRecord& record, unsigned shard) {
  uint64_t sum = 0x9e3779b97f4a7c15 + shard;
  for (const int64_t number : {record.bytes, record.files}) {
    sum = (sum ^ static_cast<uint64_t>(number)) * 0xbf58476d1ce4e5b9;
    sum ^= sum >> 29;
  }
  return sum;
}

// More than a shard can hold, so that the sum of all shards cannot overflow.
constexpr int64_t MOST = int64_t{1} << 50;

std::optional<Usage> usage_of(const UsageRecord& record, unsigned shard) {
  const auto is_possible = [](int64_t number) { return number >= 0 && number <= MOST; };
  if (record.check != check_of(record, shard) || !is_possible(record.bytes) ||
      !is_possible(record.files))
    return std::nullopt;
  return Usage{record.bytes, record.files};
}

off_t place_of(unsigned shard) { return static_cast<off_t>(shard * sizeof(UsageRecord)); }

}  // namespace

Counters::Counters(int folder, bool read_only)
    : folder_(folder), read_only_(read_only), events_(open_file(folder, "events", read_only)) {}

// Tried at each use until it succeeds, because descriptors may have been exhausted.
bool Counters::open_usage() {
  std::lock_guard lock(opening_);
  if (!usage_) usage_ = open_file(folder_, "usage", read_only_);
  return static_cast<bool>(usage_);
}

Counters::Shards Counters::shards() {
  Shards shards;
  std::array<UsageRecord, SHARDS> records{};
  // The missing part of a short file stays 0, and fails the check.
  if (!open_usage() || pread(usage_.get(), records.data(), sizeof records, 0) < 0) return shards;
  for (unsigned shard = 0; shard < SHARDS; ++shard) shards[shard] = usage_of(records[shard], shard);
  return shards;
}

void Counters::update(unsigned shard, const std::function<Numbers(const Numbers& now)>& work) {
  if (read_only_ || !open_usage()) {
    work(std::nullopt);
    return;
  }
  const off_t at = place_of(shard);
  const Held held(usage_.get(), at, sizeof(UsageRecord), shard);
  const Numbers changed = work(usage_of(read_at<UsageRecord>(usage_, at), shard));
  if (!changed) return;
  UsageRecord record{std::max<int64_t>(changed->bytes, 0), std::max<int64_t>(changed->files, 0), 0};
  record.check = check_of(record, shard);
  [[maybe_unused]] const ssize_t put = pwrite(usage_.get(), &record, sizeof record, at);
}

void Counters::add_events(const Events& change) {
  if (!events_) return;
  const Held held(events_.get(), 0, sizeof(Events), 0);
  Events sums = read_at<Events>(events_, 0);
  for (size_t i = 0; i < EVENTS; ++i) sums[i] += change[i];
  [[maybe_unused]] const ssize_t put = pwrite(events_.get(), &sums, sizeof sums, 0);
}

Counters::Events Counters::events() const { return read_at<Events>(events_, 0); }

}  // namespace cucore::cache
