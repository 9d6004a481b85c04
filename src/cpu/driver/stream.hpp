// SPDX-License-Identifier: Apache-2.0
// A stream: a queue, and the rules by which the default stream and other streams wait for each
// other.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "cpu/driver/context.hpp"
#include "cpu/driver/cuda_api.hpp"
#include "cpu/driver/queue.hpp"
#include "cpu/driver/registry.hpp"
#include "cpu/driver/stream_order.hpp"

namespace cucore::cpu {

struct StreamCapture;

class Stream : public Object, public std::enable_shared_from_this<Stream> {
 public:
  static constexpr ObjectKind KIND = ObjectKind::STREAM;
  enum class Type : uint8_t { LEGACY, PER_THREAD, BLOCKING, NON_BLOCKING };
  enum class Run : uint8_t { UNLESS_POISONED, ALWAYS };
  // Whether a call may run the work itself if the queue is empty; the difference is not observable.
  enum class Where : uint8_t { WORKER, CALLER_IF_IDLE };

  Stream(std::shared_ptr<Context> context, Type type, int priority);

  Context& context() const { return *context_; }
  const std::shared_ptr<Context>& context_ptr() const { return context_; }
  Type type() const { return type_; }
  int priority() const { return priority_; }
  void set_priority(int priority) { priority_ = priority; }
  uint64_t id() const { return id_; }
  const std::shared_ptr<Queue>& queue() const { return queue_; }
  OrderedStream& order() { return order_; }  // only stream_order.cpp uses it
  unsigned flags() const { return type_ == Type::NON_BLOCKING ? CU_STREAM_NON_BLOCKING : 0; }

  Ticket submit(Queue::Work work, Run run = Run::UNLESS_POISONED, Where where = Where::WORKER,
                std::vector<Ticket> after = {});
  void synchronize();
  bool idle() const;

  CUlaunchAttributeValue attribute(CUlaunchAttributeID id) const;
  void set_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value);
  void copy_attributes(const Stream& other);

  std::shared_ptr<StreamCapture> capture;  // nullptr: the stream runs; the lock of graphs guards it

 private:
  const std::shared_ptr<Context> context_;
  const Type type_;
  std::atomic<int> priority_;
  const uint64_t id_;
  const std::shared_ptr<Queue> queue_;
  mutable std::mutex mutex_;
  std::map<CUlaunchAttributeID, CUlaunchAttributeValue> attributes_;
  OrderedStream order_;
};

inline constexpr int LEAST_PRIORITY = 0;
inline constexpr int GREATEST_PRIORITY = -5;

// Returns the stream of a handle. 0, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD mean streams of the
// calling thread's current context. Throws INVALID_HANDLE, or the error of the stream's context.
std::shared_ptr<Stream> find_stream(CUstream handle);
std::shared_ptr<Stream> find_stream_unchecked(CUstream handle);

// Runs a host function, during which in_callback() is true on its thread.
void run_callback(const std::function<void()>& callback);
bool in_callback();

}  // namespace cucore::cpu
