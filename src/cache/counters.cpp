#include "cache/counters.hpp"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "cache/byte_lock.hpp"
#include "support/per_process.hpp"

namespace cucore::cache {
namespace {

constexpr int ATTEMPTS = 200;

Descriptor open_file(int folder, const char* name, bool read_only) {
  if (folder < 0) return {};
  const int flags = (read_only ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NOFOLLOW;
  return Descriptor(openat(folder, name, flags, 0600));
}

// Two threads of one process share the descriptor, which does not exclude them from each other.
std::mutex& threads() {
  static auto* mutex = new PerProcess<std::unique_ptr<std::mutex>>;
  return *mutex->get([] { return std::make_unique<std::mutex>(); });
}

// Held by a stopped process it must not stop others: a count that is missed is set right by the
// next walk.
class Held {
 public:
  Held(int fd, off_t at, off_t length) : lock_(threads()), fd_(fd), at_(at), length_(length) {
    for (int i = 0; i < ATTEMPTS && !held_; ++i) {
      held_ = set_lock(fd_, F_WRLCK, at_, length_);
      if (!held_) sched_yield();
    }
  }
  ~Held() {
    if (held_) set_lock(fd_, F_UNLCK, at_, length_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  explicit operator bool() const { return held_; }

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

}  // namespace

Counters::Counters(int folder, bool read_only)
    : usage_(open_file(folder, "usage", read_only)),
      events_(open_file(folder, "events", read_only)) {}

Usage Counters::total() const {
  const auto all = read_at<std::array<Usage, SHARDS>>(usage_, 0);
  Usage sum;
  for (const Usage& one : all) {
    sum.bytes += one.bytes;
    sum.files += one.files;
  }
  return sum;
}

Usage Counters::of(unsigned shard) const {
  return read_at<Usage>(usage_, static_cast<off_t>(shard * sizeof(Usage)));
}

template <class Change>
void Counters::update(unsigned shard, Change&& change) {
  if (!usage_) return;
  const auto at = static_cast<off_t>(shard * sizeof(Usage));
  const Held held(usage_.get(), at, sizeof(Usage));
  if (!held) return;
  // The file always has room for all shards: a short read would be taken for zeros.
  if (lseek(usage_.get(), 0, SEEK_END) < static_cast<off_t>(SHARDS * sizeof(Usage)) &&
      ftruncate(usage_.get(), SHARDS * sizeof(Usage)) != 0)
    return;
  Usage usage = read_at<Usage>(usage_, at);
  change(usage);
  usage.bytes = std::max<int64_t>(usage.bytes, 0);
  usage.files = std::max<int64_t>(usage.files, 0);
  [[maybe_unused]] const ssize_t put = pwrite(usage_.get(), &usage, sizeof usage, at);
}

void Counters::add(unsigned shard, Usage change) {
  update(shard, [&](Usage& usage) {
    usage.bytes += change.bytes;
    usage.files += change.files;
  });
}

void Counters::set(unsigned shard, Usage exact) {
  update(shard, [&](Usage& usage) { usage = exact; });
}

void Counters::add_events(const Events& change) {
  if (!events_) return;
  const Held held(events_.get(), 0, sizeof(Events));
  if (!held) return;
  Events sums = read_at<Events>(events_, 0);
  for (size_t i = 0; i < EVENTS; ++i) sums[i] += change[i];
  [[maybe_unused]] const ssize_t put = pwrite(events_.get(), &sums, sizeof sums, 0);
}

Counters::Events Counters::events() const { return read_at<Events>(events_, 0); }

}  // namespace cucore::cache
