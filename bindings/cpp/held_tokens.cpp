// SPDX-License-Identifier: Apache-2.0
#include "held_tokens.hpp"

#include <atomic>
#include <memory>
#include <mutex>

#include "failure.hpp"

namespace cucore::bind {
namespace {

struct HeldToken {
  uint64_t owner;
  uint64_t token;
  HeldToken* next;
};

// A list, because the function that drops a token must not fail.
struct DroppedTokens {
  std::mutex mutex;
  HeldToken* first = nullptr;
};

DroppedTokens& dropped_tokens() {
  static auto* const all = new DroppedTokens;  // threads of the library use it at the exit
  return *all;
}

void drop(void* user_data) {
  auto* const held = static_cast<HeldToken*>(user_data);
  DroppedTokens& all = dropped_tokens();
  const std::lock_guard lock(all.mutex);
  held->next = all.first;
  all.first = held;
}

}  // namespace

uint64_t new_token() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

void hold_token(cucore_graph* graph, uint64_t owner, uint64_t token) {
  dropped_tokens();
  auto* const held = new HeldToken{owner, token, nullptr};
  ok(cucore_graph_hold, graph, static_cast<void*>(held), &drop);  // drops it if it fails
}

uint64_t take_dropped_token(uint64_t owner) {
  DroppedTokens& all = dropped_tokens();
  const std::lock_guard lock(all.mutex);
  for (HeldToken** at = &all.first; *at; at = &(*at)->next) {
    if ((*at)->owner != owner) continue;
    const std::unique_ptr<HeldToken> taken(*at);
    *at = taken->next;
    return taken->token;
  }
  return 0;
}

}  // namespace cucore::bind
