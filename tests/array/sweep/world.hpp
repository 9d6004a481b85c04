// SPDX-License-Identifier: Apache-2.0
// Arrays that the scenarios of the sweep use, and the scenarios.
#pragma once

#include <cucore_array.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace sweep {

constexpr int64_t ROWS = 4, COLUMNS = 6;

struct World {
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // Replaces `pending` by an array that waits to be computed, and `target` by a new array.
  void refresh();
  // Whether the elements are those that the world began with.
  bool is_intact() const;

  cucore_device* device = nullptr;
  cucore_array_context* context = nullptr;
  cucore_array_generator* generator = nullptr;
  cucore_array *x = nullptr, *y = nullptr;     // float32
  cucore_array* indices = nullptr;             // int64: 1, 2, 3
  cucore_array* places = nullptr;              // int64 in the shape of x: 0
  cucore_array *mask = nullptr, *z = nullptr;  // bool, complex64
  cucore_array* rows = nullptr;                // bool: one for each row of x
  cucore_array *pending = nullptr, *target = nullptr;
  cucore_array_context* other = nullptr;  // of the same device
  cucore_buffer* memory = nullptr;        // pinned, as large as x
  void* tensor = nullptr;                 // a DLManagedTensorVersioned of `target`
  std::vector<char> npy;
};

// The outputs of one call. A failed call leaves all of them NULL.
struct Outputs {
  std::array<cucore_array*, 8> arrays = {};
  cucore_array_context* context = nullptr;
  cucore_array_generator* generator = nullptr;
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_buffer* buffer = nullptr;
  void* tensor = nullptr;

  bool empty() const;
  void release();
};

void delete_tensor(void* tensor);  // of DLPack

struct Scenario {
  const char* function;
  std::function<cucore_status(World&, Outputs&, cucore_error**)> call;
};
std::vector<Scenario> all_scenarios();
// Functions that cannot fail. They are called while allocations fail.
std::vector<std::pair<const char*, std::function<void(World&)>>> infallible();

}  // namespace sweep
