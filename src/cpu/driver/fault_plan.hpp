// SPDX-License-Identifier: Apache-2.0
// Faults for tests: the call, its count, and its error.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::cpu {

// Rules are separated by ';':
//   cuMemAlloc_v2@3=2        the third call of this function fails with CUDA_ERROR_OUT_OF_MEMORY
//   cuMemAlloc@3+=2          the third and all later ones; a base name means every version of it
//   cuMemAlloc@*=2           every call
//   cuStreamSynchronize@p=0.01,seed=7=719     one in a hundred, the same ones in every run
//   cuLaunchKernelEx@2=sticky:700             the second call, which poisons the current context
//   launch:saxpy@5=sticky:700                 the fifth run of the kernel faults
//   allocation@3=2                            the third allocation of memory, by any function
//   mem.limit=64M                             the memory of each device
class FaultPlan {
  struct Rule;

 public:
  struct Strike {
    CUresult code;
    bool sticky;
  };
  static FaultPlan& instance();

  // Returns false and keeps the old plan if `text` is not a plan. Restarts the counts.
  bool set(std::string_view text);
  // Rules with their counts, and the number of faults that they caused.
  struct State {
    std::vector<Rule> rules;
    std::optional<uint64_t> memory_limit;
    uint64_t struck = 0;
  };
  // Replaces the plan and returns the previous one, whose counts continue when it returns.
  State exchange(State next);
  // Returns the state of a new plan, or nullopt if `text` is not a plan.
  static std::optional<State> parse(std::string_view text);
  uint64_t struck() const;  // faults since the plan was set
  static bool is_plan(std::string_view text);
  bool active() const { return active_.load(std::memory_order_acquire); }
  std::optional<Strike> strike(std::string_view name, std::string_view base);
  std::optional<CUresult> strike_launch(std::string_view kernel);
  std::optional<uint64_t> memory_limit() const;

 private:
  struct Rule {
    std::string subject;
    bool launch = false;
    uint64_t first = 1, last = 1;
    double probability = -1;
    uint64_t seed = 0;
    Strike strike{CUDA_ERROR_UNKNOWN, false};
    uint64_t seen = 0;
  };
  static std::optional<Rule> parse_rule(std::string_view text);
  static bool parse_when(std::string_view text, Rule& rule);
  static bool parse_code(std::string_view text, Strike& strike);
  static bool hits(Rule& rule);

  mutable std::mutex mutex_;
  std::atomic<bool> active_{false};
  State state_;
};

}  // namespace cucore::cpu
