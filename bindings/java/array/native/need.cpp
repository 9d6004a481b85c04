// SPDX-License-Identifier: Apache-2.0
#include "need.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace cucore::java::arrays {
namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

// Threads that collect or try again. Others wait for them until a point of time. A call that tries
// again may itself take long, and a thread that collects may need what another one has locked.
std::atomic<int> urgent{0};
std::atomic<Time> others_wait_until{Time{}};
constexpr std::chrono::milliseconds COLLECTION{1000}, TRY{50}, PAUSE{1};

}  // namespace

Need::Need(JNIEnv* env) : env_(env) {
  while (urgent.load(std::memory_order_relaxed) > 0 && Clock::now() < others_wait_until.load())
    std::this_thread::sleep_for(PAUSE);
}

Need::~Need() {
  if (is_urgent_) --urgent;
}

bool Need::collect() {
  others_wait_until = Clock::now() + COLLECTION;
  if (!is_urgent_) ++urgent;
  is_urgent_ = true;
  const jclass type = env_->FindClass("io/cucore/array/Patience");
  const jmethodID collect =
      type ? env_->GetStaticMethodID(type, "collect",
                                     "(Lio/cucore/array/Patience;)Lio/cucore/array/Patience;")
           : nullptr;
  if (!collect) throw Pending();
  const jobject next = env_->CallStaticObjectMethod(type, collect, patience_);
  if (env_->ExceptionCheck()) throw Pending();
  env_->DeleteLocalRef(patience_);
  env_->DeleteLocalRef(type);
  patience_ = next;
  others_wait_until = Clock::now() + TRY;
  return next != nullptr;
}

}  // namespace cucore::java::arrays
