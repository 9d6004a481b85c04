// SPDX-License-Identifier: Apache-2.0
// Submits work to streams and finds streams by handle.
#include "cpu/driver/stream.hpp"

#include <signal.h>

#include <algorithm>
#include <thread>

#include "cpu/driver/calls.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/thread_state.hpp"

namespace cucore::cpu {
namespace {

std::atomic<uint64_t> next_stream_id{1};

// A list is used because the threads of streams have no thread state for a mark.
struct Callbacks {
  std::mutex mutex;
  std::vector<std::thread::id> threads;
  std::atomic<size_t> running{0};
};

Callbacks& callbacks() {
  static Callbacks& c = *new Callbacks;  // never destroyed
  return c;
}

// An exception from a job poisons its context and does not reach the stream's thread.
void run_job(Context& context, const Queue::Work& work, Stream::Run run) noexcept {
  if (run == Stream::Run::UNLESS_POISONED && context.poisoned()) return;
  try {
    work();
  } catch (...) {
    context.poison(result_of_exception(), "internal failure of the CPU device");
  }
}

}  // namespace

Stream::Stream(std::shared_ptr<Context> context, Type type, int priority)
    : context_(std::move(context)),
      type_(type),
      priority_(priority),
      id_(next_stream_id++),
      queue_(std::make_shared<Queue>()) {}

Ticket Stream::submit(Queue::Work work, Run run, Where where, std::vector<Ticket> after) {
  auto job = [context = context_, work = std::move(work), run] { run_job(*context, work, run); };
  return context_->submit(*this, std::move(job), std::move(after), where == Where::CALLER_IF_IDLE);
}

void Stream::synchronize() {
  if (type_ == Type::LEGACY)
    submit([] {}, Run::ALWAYS, Where::CALLER_IF_IDLE).wait();  // after all blocking streams
  else
    queue_->last().wait();
  host_waited(*this);
  context_->output().flush();
  context_->device().on_synchronize();
  context_->check();
}

bool Stream::idle() const {
  return type_ == Type::LEGACY ? context_->legacy_idle() : queue_->idle();
}

CUlaunchAttributeValue Stream::attribute(CUlaunchAttributeID id) const {
  std::lock_guard lock(mutex_);
  auto found = attributes_.find(id);
  return found == attributes_.end() ? CUlaunchAttributeValue{} : found->second;
}

void Stream::set_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
  std::lock_guard lock(mutex_);
  attributes_[id] = value;
}

void Stream::copy_attributes(const Stream& other) {
  if (&other == this) return;
  std::scoped_lock lock(mutex_, other.mutex_);
  attributes_ = other.attributes_;
}

std::shared_ptr<Stream> find_stream_unchecked(CUstream handle) {
  if (handle == nullptr)
    handle = per_thread_default_stream() ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  if (handle == CU_STREAM_LEGACY) return current_context()->legacy_stream();
  if (handle == CU_STREAM_PER_THREAD) return current_context()->thread_stream();
  return lookup<Stream>(handle);
}

std::shared_ptr<Stream> find_stream(CUstream handle) {
  auto stream = find_stream_unchecked(handle);
  stream->context().check();
  return stream;
}

namespace {

// The threads of the device receive no signals. A fault in a host function is one of the program:
// its handlers, and those of views of managed memory, receive it.
class FaultsUnblocked {
 public:
  FaultsUnblocked() {
    sigset_t faults;
    sigemptyset(&faults);
    for (const int signal : {SIGSEGV, SIGTRAP}) sigaddset(&faults, signal);
    pthread_sigmask(SIG_UNBLOCK, &faults, &before_);
  }
  ~FaultsUnblocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  FaultsUnblocked(const FaultsUnblocked&) = delete;
  FaultsUnblocked& operator=(const FaultsUnblocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

void run_callback(const std::function<void()>& callback) {
  Callbacks& c = callbacks();
  auto self = std::this_thread::get_id();
  {
    std::lock_guard lock(c.mutex);
    c.threads.push_back(self);
    c.running.store(c.threads.size());
  }
  const FaultsUnblocked unblocked;
  callback();
  std::lock_guard lock(c.mutex);
  std::erase(c.threads, self);
  c.running.store(c.threads.size());
}

bool in_callback() {
  Callbacks& c = callbacks();
  if (c.running.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard lock(c.mutex);
  return std::find(c.threads.begin(), c.threads.end(), std::this_thread::get_id()) !=
         c.threads.end();
}

}  // namespace cucore::cpu
