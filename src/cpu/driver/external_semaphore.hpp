// SPDX-License-Identifier: Apache-2.0
// Semaphores that other libraries and processes share by a descriptor. A binary one is an eventfd,
// of which a wait takes what signals have added. A timeline is the number in the first 8 bytes of a
// shared file, as memfd_create() makes it. A wait ends when the number is as large as its value.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cpu/driver/context.hpp"
#include "cpu/driver/cuda_api.hpp"
#include "cpu/driver/registry.hpp"

namespace cucore::cpu {

class ExternalSemaphore : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::EXTERNAL_SEMAPHORE;

  // Takes the descriptor over, or throws INVALID_VALUE if it is none of the kind.
  static std::shared_ptr<ExternalSemaphore> import(std::shared_ptr<Context> context, int descriptor,
                                                   bool is_timeline);

  Context& context() const { return *context_; }
  virtual void signal(uint64_t value) = 0;
  // Returns whether the wait has ended. Waits for about a millisecond.
  virtual bool try_wait(uint64_t value) = 0;

 protected:
  explicit ExternalSemaphore(std::shared_ptr<Context> context) : context_(std::move(context)) {}

 private:
  const std::shared_ptr<Context> context_;  // that imported it
};

// The semaphores of one call or node with their parameters.
template <class Params>
struct SemaphoreList {
  std::vector<std::shared_ptr<ExternalSemaphore>> semaphores;
  std::vector<CUexternalSemaphore> handles;
  std::vector<Params> params;
};
using SemaphoreSignals = SemaphoreList<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>;
using SemaphoreWaits = SemaphoreList<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>;

// Throw INVALID_VALUE for flags that are not 0, and for a list without elements.
SemaphoreSignals semaphore_list(const CUexternalSemaphore* semaphores,
                                const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* params,
                                unsigned count);
SemaphoreWaits semaphore_list(const CUexternalSemaphore* semaphores,
                              const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* params, unsigned count);

void run_semaphores(const SemaphoreSignals& signals);
// Ends early if the context ends or a kernel breaks it.
void run_semaphores(const SemaphoreWaits& waits, const Context& context);

}  // namespace cucore::cpu
