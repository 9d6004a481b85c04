// SPDX-License-Identifier: Apache-2.0
// Eight threads record, read, write and release arrays of one context and of contexts of their own.
// All of them write one array. One more thread releases arrays that the others made. Then they
// exhaust the memory of one context: calls fail while other threads record, evaluate and release.
// At last they allocate together up to the limit of a context.
#include <cucore_array.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int THREADS = 8, ROUNDS = 25;
constexpr int64_t SIZE = 100;

cucore_device* device = nullptr;
cucore_array_context* context = nullptr;
cucore_array* counter = nullptr;  // each thread adds 1 in each round
std::mutex mutex;
std::vector<cucore_array*> finished;  // for the thread that releases
std::atomic<bool> done{false};
std::atomic<int> exhausted{0};

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

cucore_array* made_ones(cucore_array_context* owner) {
  const cucore_array_scalar one{CUCORE_ARRAY_SCALAR_REAL, 0, 0, 1.0, 0.0};
  return made(cucore_array_full, owner, CUCORE_ARRAY_DTYPE_FLOAT64, &SIZE, size_t{1}, &one);
}

// A write that all threads see. Those of two threads happen in some order, whole.
void count_round() {
  cucore_array_operand one{nullptr, {CUCORE_ARRAY_SCALAR_REAL, 0, 0, 1.0, 0.0}};
  cucore_error* error = nullptr;
  must(cucore_array_assign_op(CUCORE_ARRAY_OP_ADD, counter, &one, &error), error);
  cucore_array* whole =
      made(cucore_array_binary, int32_t{CUCORE_ARRAY_OP_SUBTRACT}, counter, counter);
  if (total(whole) != 0) std::abort();
  release_later(whole);
}

// Arrays of two contexts in one operation, while the other threads use one of them.
void mix_contexts(cucore_array* shared, cucore_array* own) {
  cucore_array* sum = made(cucore_array_binary, int32_t{CUCORE_ARRAY_OP_ADD}, own, shared);
  if (total(sum) != 2.0 * SIZE) std::abort();
  release_later(sum);
  cucore_array_context_info info = CUCORE_ARRAY_CONTEXT_INFO_INIT;
  cucore_error* error = nullptr;
  must(cucore_array_context_query(context, &info, &error), error);
}

// (shared + 1) * 2, summed; then a write that nobody else sees.
void work(cucore_array* shared) {
  cucore_array_context* home = nullptr;
  cucore_error* failure = nullptr;
  must(cucore_array_context_create(device, nullptr, &home, &failure), failure);
  cucore_array* own = made_ones(home);
  for (int round = 0; round < ROUNDS; ++round) {
    count_round();
    mix_contexts(shared, own);
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
  release_later(own);
  cucore_array_context_release(home);
}

// Sums and records until the memory of the context or its pending operations exceed their bounds.
void exhaust(cucore_array* shared) {
  for (int round = 0; round < 2 * ROUNDS; ++round) {
    cucore_array* kept[4] = {};
    for (cucore_array*& each : kept) {
      cucore_error* error = nullptr;
      if (cucore_array_binary_scalar(CUCORE_ARRAY_OP_ADD, shared, round, 0, &each, &error) !=
          CUCORE_OK) {
        if (cucore_error_status(error) != CUCORE_ERROR_OUT_OF_DEVICE_MEMORY)
          must(CUCORE_ERROR_INTERNAL, error);
        cucore_error_release(error);
        continue;
      }
      double elements[SIZE];
      if (cucore_array_read(each, elements, sizeof elements, &error) == CUCORE_OK) {
        if (elements[SIZE - 1] != round + 1.0) std::abort();
      } else if (cucore_error_status(error) != CUCORE_ERROR_OUT_OF_DEVICE_MEMORY) {
        must(CUCORE_ERROR_INTERNAL, error);
      } else {
        ++exhausted;
        cucore_error_release(error);
      }
    }
    for (cucore_array* each : kept) cucore_array_release(each);
  }
}

void exhaust_a_context() {
  cucore_array_context_options options = CUCORE_ARRAY_CONTEXT_OPTIONS_INIT;
  options.max_bytes = 8 * SIZE * sizeof(double);
  options.max_pending = 6;
  cucore_array_context* limited = nullptr;
  cucore_error* error = nullptr;
  must(cucore_array_context_create(device, &options, &limited, &error), error);
  cucore_array* shared = made_ones(limited);
  total(shared);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; ++thread) threads.emplace_back(exhaust, shared);
  for (std::thread& thread : threads) thread.join();
  if (exhausted == 0) std::abort();  // else the test shows nothing
  if (total(shared) != SIZE) std::abort();
  cucore_array_release(shared);
  cucore_array_context_release(limited);
}

// Arrays of the host are allocated without the lock of the context. One thread alone makes more
// than the limit permits.
void write_to(cucore_array_context* limited, const std::vector<double>& elements) {
  for (int round = 0; round < 4 * ROUNDS; ++round) {
    cucore_array* kept[3] = {};
    for (cucore_array*& each : kept) {
      cucore_error* error = nullptr;
      if (cucore_array_from_host(limited, CUCORE_ARRAY_DTYPE_FLOAT64, elements.data(), &SIZE, 1,
                                 nullptr, &each, &error) == CUCORE_OK)
        continue;
      if (cucore_error_status(error) != CUCORE_ERROR_OUT_OF_DEVICE_MEMORY)
        must(CUCORE_ERROR_INTERNAL, error);
      cucore_error_release(error);
      ++exhausted;
    }
    for (cucore_array* each : kept) cucore_array_release(each);
  }
}

void keep_a_limit() {
  const std::vector<double> elements(SIZE);
  cucore_array_context_options options = CUCORE_ARRAY_CONTEXT_OPTIONS_INIT;
  options.max_bytes = 2 * SIZE * sizeof(double);
  cucore_array_context* limited = nullptr;
  cucore_error* error = nullptr;
  must(cucore_array_context_create(device, &options, &limited, &error), error);
  exhausted = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; ++thread)
    threads.emplace_back(write_to, limited, std::cref(elements));
  for (std::thread& thread : threads) thread.join();
  cucore_array_context_info info{};
  info.struct_size = sizeof info;
  must(cucore_array_context_query(limited, &info, &error), error);
  if (exhausted == 0 || info.peak_bytes > options.max_bytes || info.live_bytes != 0) {
    std::fprintf(stderr, "%d refused, %llu of at most %zu bytes, %llu left\n", exhausted.load(),
                 static_cast<unsigned long long>(info.peak_bytes), options.max_bytes,
                 static_cast<unsigned long long>(info.live_bytes));
    std::abort();
  }
  cucore_array_context_release(limited);
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
  cucore_error* error = nullptr;
  must(cucore_device_open(0, &device, &error), error);
  must(cucore_array_context_create(device, nullptr, &context, &error), error);
  cucore_array* shared = made_ones(context);
  counter = made_ones(context);
  std::thread releaser(release_finished);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < THREADS; ++thread) threads.emplace_back(work, shared);
  for (std::thread& thread : threads) thread.join();
  done = true;
  releaser.join();
  if (total(counter) != (1.0 + THREADS * ROUNDS) * SIZE) std::abort();
  cucore_array_release(counter);
  cucore_array_release(shared);
  cucore_array_context_release(context);
  exhaust_a_context();
  keep_a_limit();
  cucore_device_release(device);
  return 0;
}
