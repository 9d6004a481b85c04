// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/profiler.hpp"

#include <utility>

#include "support/error.hpp"

namespace cucore::perf {
namespace {

constexpr const char* RUNS_WORK = "the profiler runs the work";

[[noreturn]] void throw_no_session() {
  throw Error(Status::INVALID_STATE,
              "the profiler has no session; begin one with cucore_profiler_begin()");
}

// Ends a range also if the work fails.
class RangeScope {
 public:
  RangeScope(Session& session, const std::string& name) : session_(session) {
    session_.begin_range(name);
  }
  ~RangeScope() {
    try {
      session_.end_range();
    } catch (...) {
      // The work has ended the range itself.
    }
  }
  RangeScope(const RangeScope&) = delete;
  RangeScope& operator=(const RangeScope&) = delete;

 private:
  Session& session_;
};

}  // namespace

std::shared_ptr<Session> Profiler::session() const {
  const std::lock_guard lock(mutex_);
  if (!session_) throw_no_session();
  return session_;
}

void Profiler::begin(bool is_lazy) {
  const std::lock_guard lock(mutex_);
  if (session_)
    throw Error(Status::INVALID_STATE,
                "the profiler has a session already; end it with cucore_profiler_end()");
  session_ = std::make_shared<Session>(options_, declarations_, is_lazy);
}

SessionResult Profiler::end(double most_wait) {
  std::shared_ptr<Session> ending;
  {
    const std::lock_guard lock(mutex_);
    if (!session_) throw_no_session();
    ending = std::exchange(session_, nullptr);
  }
  return ending->end(most_wait);
}

void Profiler::begin_range(const std::string& name) { session()->begin_range(name); }

void Profiler::end_range() { session()->end_range(); }

void Profiler::run(const std::string& range,
                   const std::function<void(const cucore_stream*)>& work) {
  const std::shared_ptr<Session> running = session();
  const DeviceOwner device = options_.device
                                 ? options_.device
                                 : client::created<DeviceOwner>(RUNS_WORK, cucore_device_open, 0);
  const auto stream =
      client::created<StreamOwner>(RUNS_WORK, cucore_stream_create, device.get(), nullptr);
  const auto run_once = [&] {
    work(stream.get());
    client::call(RUNS_WORK, cucore_stream_synchronize, stream.get());
  };
  {
    const RangeScope scope(*running, range);
    run_once();
  }
  running->count_range(range, device.get(), run_once);
}

// The end of an earlier declaration calls its owner, who may use the profiler, so the locks end
// before.
void Profiler::declare(const std::string& kernel, Declaration declaration) {
  auto shared = std::make_shared<const Declaration>(std::move(declaration));
  std::shared_ptr<const Declaration> earlier, earlier_of_session;
  const std::lock_guard lock(mutex_);
  earlier = std::exchange(declarations_[kernel], shared);
  if (session_) earlier_of_session = session_->declare(kernel, std::move(shared));
}

}  // namespace cucore::perf
