// SPDX-License-Identifier: Apache-2.0
// Eight threads record, read, write and release arrays of one context. One more thread releases
// arrays that the others made.
#include <cucore_array.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int THREADS = 8, ROUNDS = 25;
constexpr int64_t SIZE = 100;

cucore_array_context* context = nullptr;
std::mutex mutex;
std::vector<cucore_array*> finished;  // for the thread that releases
std::atomic<bool> done{false};

void must(cucore_status status, cucore_error* error) {
  if (status == CUCORE_OK) return;
  std::fprintf(stderr, "%s\n", cucore_error_message(error));
  std::abort();
}

template <class Function, class... Arguments>
cucore_array* made(Function&& function, Arguments... arguments) {
  cucore_array* out = nullptr;
  cucore_error* error = nullptr;
  must(function(arguments..., &out, &error), error);
  return out;
}

double total(cucore_array* array) {
  cucore_array* sum = made(cucore_array_reduce, int32_t{CUCORE_ARRAY_OP_SUM}, array, nullptr);
  cucore_array_scalar scalar;
  cucore_error* error = nullptr;
  must(cucore_array_item(sum, &scalar, &error), error);
  cucore_array_release(sum);
  return scalar.real;
}

void release_later(cucore_array* array) {
  const std::scoped_lock lock(mutex);
  finished.push_back(array);
}

// (shared + 1) * 2, summed; then a write that nobody else sees.
void work(cucore_array* shared) {
  for (int round = 0; round < ROUNDS; ++round) {
    cucore_array* more =
        made(cucore_array_binary_scalar, int32_t{CUCORE_ARRAY_OP_ADD}, shared, 1.0, 0);
    cucore_array* twice =
        made(cucore_array_binary_scalar, int32_t{CUCORE_ARRAY_OP_MULTIPLY}, more, 2.0, 0);
    cucore_array_operand operand{twice, {}};
    cucore_error* error = nullptr;
    must(cucore_array_assign_op(CUCORE_ARRAY_OP_ADD, more, &operand, &error), error);
    if (total(twice) != 4.0 * SIZE || total(more) != 6.0 * SIZE) std::abort();
    release_later(more);
    release_later(twice);
  }
}

void release_finished() {
  while (true) {
    const bool last = done;
    std::vector<cucore_array*> arrays;
    {
      const std::scoped_lock lock(mutex);
      arrays.swap(finished);
    }
    for (cucore_array* array : arrays) cucore_array_release(array);
    if (last && arrays.empty()) return;
    std::this_thread::yield();
  }
}

}  // namespace

int main() {
  cucore_device* device = nullptr;
  cucore_error* error = nullptr;
  must(cucore_device_open(0, &device, &error), error);
  must(cucore_array_context_create(device, nullptr, &context, &error), error);
  const cucore_array_scalar one{CUCORE_ARRAY_SCALAR_REAL, 0, 0, 1.0, 0.0};
  cucore_array* shared =
      made(cucore_array_full, context, CUCORE_ARRAY_DTYPE_FLOAT64, &SIZE, size_t{1}, &one);
  std::thread releaser(release_finished);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; ++thread) threads.emplace_back(work, shared);
  for (std::thread& thread : threads) thread.join();
  done = true;
  releaser.join();
  cucore_array_release(shared);
  cucore_array_context_release(context);
  cucore_device_release(device);
  return 0;
}
