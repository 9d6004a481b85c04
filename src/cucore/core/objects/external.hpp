// SPDX-License-Identifier: Apache-2.0
// A semaphore of another library, imported by a file descriptor.
#pragma once

#include <memory>

#include "core/objects/node_kind.hpp"
#include "core/objects/stream.hpp"

namespace cucore::core {

class External final : public Object {
 public:
  // Makes a semaphore that import() must complete.
  static Ref<External> make_semaphore(const Device& device, bool is_timeline);
  // Takes the descriptor over. After a failure it is still the caller's.
  void import(int descriptor);

  const Device& device() const { return context_->device(); }
  const Ref<Context>& context() const { return context_; }
  bool is_timeline() const { return is_timeline_; }
  CUexternalSemaphore native() const;
  void require_usable() const { context_->require_alive("semaphore"); }

  // Add work to a stream. A binary semaphore has no value.
  void signal(uint64_t value, const Stream& stream) const;
  void wait(uint64_t value, const Stream& stream) const;

 private:
  class Destruction;
  External(Ref<Context> context, std::unique_ptr<Destruction> destruction, bool is_timeline);
  template <class T, class... A>
  friend Ref<T> cucore::make(A&&...);
  ~External() override;
  template <class Call>
  void add(const Stream& stream, NodeKind kind, Call&& call) const;

  const Ref<Context> context_;
  std::unique_ptr<Destruction> destruction_;
  const bool is_timeline_;
};

// The parameters of the driver's calls and nodes.
CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_params(uint64_t value) noexcept;
CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait_params(uint64_t value) noexcept;

// The version of CUDA that added semaphores of other libraries, and that of their nodes.
inline constexpr int SINCE_EXTERNAL = 10000, SINCE_EXTERNAL_NODES = 11020;

}  // namespace cucore::core
