// SPDX-License-Identifier: Apache-2.0
// Each function of cucore_array.h, with each of its allocations failing in turn. A failure is
// reported, leaves no output, changes no element and leaks nothing, and a later call succeeds.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <regex>
#include <set>
#include <utility>

#include "library_memory.hpp"
#include "world.hpp"

namespace sweep {
namespace {

constexpr uint64_t ENOUGH = 20000;

void must(cucore_status status, cucore_error* error) {
  ASSERT_EQ(status, CUCORE_OK) << cucore_error_message(error);
}

template <class Function, class... Arguments>
cucore_array* made(Function&& function, Arguments... arguments) {
  cucore_array* out = nullptr;
  cucore_error* error = nullptr;
  must(function(arguments..., &out, &error), error);
  return out;
}

cucore_array* from_host(cucore_array_context* context, cucore_array_dtype dtype, const void* data,
                        std::vector<int64_t> shape) {
  return made(cucore_array_from_host, context, dtype, data, shape.data(), shape.size(), nullptr);
}

float element(int64_t at) { return static_cast<float>(at) * 0.5F; }

}  // namespace

World::World() {
  cucore_error* error = nullptr;
  must(cucore_device_open(0, &device, &error), error);
  must(cucore_array_context_create(device, nullptr, &context, &error), error);
  must(cucore_array_generator_create(context, 5, &generator, &error), error);
  std::vector<float> numbers(ROWS * COLUMNS), complex(2 * ROWS * COLUMNS);
  std::vector<char> flags(ROWS * COLUMNS);
  for (int64_t at = 0; at < ROWS * COLUMNS; ++at) {
    numbers[size_t(at)] = element(at);
    flags[size_t(at)] = static_cast<char>(at % 2);
  }
  const int64_t three[] = {1, 2, 3};
  const std::vector<int64_t> zeros(ROWS * COLUMNS);
  const std::vector<int64_t> shape{ROWS, COLUMNS};
  x = from_host(context, CUCORE_ARRAY_DTYPE_FLOAT32, numbers.data(), shape);
  y = from_host(context, CUCORE_ARRAY_DTYPE_FLOAT32, numbers.data(), shape);
  mask = from_host(context, CUCORE_ARRAY_DTYPE_BOOL, flags.data(), shape);
  z = from_host(context, CUCORE_ARRAY_DTYPE_COMPLEX64, complex.data(), shape);
  rows = from_host(context, CUCORE_ARRAY_DTYPE_BOOL, flags.data(), {ROWS});
  places = from_host(context, CUCORE_ARRAY_DTYPE_INT64, zeros.data(), shape);
  indices = from_host(context, CUCORE_ARRAY_DTYPE_INT64, three, {3});
  must(cucore_array_context_create(device, nullptr, &other, &error), error);
  must(cucore_buffer_create_pinned(device, ROWS * COLUMNS * sizeof(float), &memory, &error), error);
  npy.resize(1 << 10);
  size_t size = 0;
  must(cucore_array_to_npy(x, npy.data(), npy.size(), &size, &error), error);
  npy.resize(size);
  refresh();
}

World::~World() {
  delete_tensor(tensor);
  cucore_buffer_release(memory);
  for (cucore_array* array : {x, y, indices, places, mask, rows, z, pending, target})
    cucore_array_release(array);
  cucore_array_generator_release(generator);
  for (cucore_array_context* each : {context, other}) cucore_array_context_release(each);
  cucore_device_release(device);
}

void delete_tensor(void* tensor) {
  struct Tensor {  // the beginning of a DLManagedTensorVersioned
    uint32_t version[2];
    void* context;
    void (*deleter)(void*);
  };
  if (tensor) static_cast<Tensor*>(tensor)->deleter(tensor);
}

void World::refresh() {
  delete_tensor(tensor);
  cucore_array_release(pending);
  cucore_array_release(target);
  pending = made(cucore_array_binary_scalar, int32_t{CUCORE_ARRAY_OP_ADD}, x, 1.0, 0);
  target = made(cucore_array_copy, x);
  cucore_error* error = nullptr;
  must(cucore_array_to_dlpack(target, nullptr, 1, CUCORE_TOGGLE_DEFAULT, &tensor, &error), error);
}

bool World::is_intact() const {
  float elements[ROWS * COLUMNS];
  for (const cucore_array* array : {x, y}) {
    if (cucore_array_read(array, elements, sizeof elements, nullptr) != CUCORE_OK) return false;
    for (int64_t at = 0; at < ROWS * COLUMNS; ++at)
      if (elements[at] != element(at)) return false;
  }
  return true;
}

bool Outputs::empty() const {
  for (const cucore_array* array : arrays)
    if (array) return false;
  return !context && !generator && !device && !stream && !buffer && !tensor;
}

void Outputs::release() {
  for (cucore_array* array : arrays) cucore_array_release(array);
  cucore_array_context_release(context);
  cucore_array_generator_release(generator);
  cucore_device_release(device);
  cucore_stream_release(stream);
  cucore_buffer_release(buffer);
  delete_tensor(tensor);
  *this = {};
}

namespace {

class ArraySweep : public testing::Test {
 protected:
  void sweep_all(bool all_after) {
    std::set<std::string> visited;
    for (const Scenario& scenario : all_scenarios()) {
      SCOPED_TRACE(scenario.function);
      visited.insert(scenario.function);
      run(scenario, 0, false);  // compiles the kernels
      sweep_one(scenario, all_after);
      if (HasFatalFailure()) return;
    }
    for (const auto& [function, call] : infallible()) {
      visited.insert(function);
      arm_memory(1, true);
      call(world_);
      disarm_memory();
      EXPECT_FALSE(memory_failed()) << function << failed_allocation();
    }
    EXPECT_EQ(visited, exported());
    EXPECT_GT(struck_, visited.size());
    std::printf("%llu failures in %zu functions\n", static_cast<unsigned long long>(struck_),
                visited.size());
  }

 private:
  void sweep_one(const Scenario& scenario, bool all_after) {
    for (uint64_t nth = 1; nth < ENOUGH; ++nth) {
      const bool struck = run(scenario, nth, all_after);
      ASSERT_FALSE(HasFailure()) << "allocation " << nth << " fails" << failed_allocation();
      if (!struck) break;
      ++struck_;
    }
    ASSERT_TRUE(world_.is_intact());
    expect_level(scenario, all_after);
  }

  // Fails one allocation, or none if nth is 0. Returns whether the call got so far.
  bool run(const Scenario& scenario, uint64_t nth, bool all_after) {
    world_.refresh();
    Outputs outputs;
    cucore_error* error = nullptr;
    arm_memory(nth, all_after);
    const cucore_status status = scenario.call(world_, outputs, &error);
    disarm_memory();
    const bool struck = nth != 0 && memory_failed();
    EXPECT_EQ(cucore_error_status(error), status) << cucore_error_message(error);
    if (struck) {
      EXPECT_EQ(status, CUCORE_ERROR_OUT_OF_MEMORY) << cucore_error_message(error);
      EXPECT_TRUE(outputs.empty());
    } else {
      EXPECT_EQ(status, CUCORE_OK) << cucore_error_message(error);
    }
    cucore_error_release(error);
    outputs.release();
    return struck;
  }

  // Handles, kernels and records of freed memory are kept for later calls, up to a bound. So many
  // rounds may be necessary; a leak grows in all of them.
  void expect_level(const Scenario& scenario, bool all_after) {
    int64_t before = 0, after = 1;
    for (int tries = 0; tries < 400 && after > before; ++tries) {
      before = settled_blocks();
      for (uint64_t nth = 1; nth < 4; ++nth) run(scenario, nth, all_after);
      after = settled_blocks();
    }
    EXPECT_LE(after, before) << "memory leaked";
  }

  int64_t settled_blocks() {
    world_.refresh();
    cucore_error* error = nullptr;
    EXPECT_EQ(cucore_array_context_synchronize(world_.context, &error), CUCORE_OK);
    return blocks_alive();
  }

  static std::set<std::string> exported() {
    std::ifstream map(CUCORE_ARRAY_MAP);
    std::set<std::string> names;
    for (std::string line; std::getline(map, line);) {
      std::smatch name;
      if (std::regex_match(line, name, std::regex("  (cucore_array_\\w+);"))) names.insert(name[1]);
    }
    return names;
  }

  World world_;
  uint64_t struck_ = 0;
};

// Twelve kernels, each of which reads the result of the one before: sums of sums of 1, 2, 3.
class ArrayChain : public testing::Test {
 protected:
  static constexpr int KERNELS = 12;
  using Elements = std::array<int64_t, 3>;

  static Elements expected() {
    Elements sums{1, 2, 3};
    for (int kernel = 0; kernel < KERNELS; ++kernel)
      sums = {sums[0], sums[0] + sums[1], sums[0] + sums[1] + sums[2]};
    return sums;
  }
  static cucore_array* recorded(const cucore_array* numbers) {
    cucore_array* chain = cucore_array_retain(numbers);
    for (int kernel = 0; kernel < KERNELS; ++kernel) {
      cucore_array* const next = made(cucore_array_scan, int32_t{CUCORE_ARRAY_OP_CUMULATIVE_SUM},
                                      chain, 0, CUCORE_ARRAY_DTYPE_DEFAULT, 0, 0);
      cucore_array_release(std::exchange(chain, next));
    }
    return chain;
  }
  static Elements elements(const cucore_array* array) {
    Elements result{};
    cucore_error* error = nullptr;
    must(cucore_array_read(array, result.data(), sizeof result, &error), error);
    return result;
  }
  static uint64_t kernels_launched(cucore_array_context* context) {
    cucore_array_context_info info = CUCORE_ARRAY_CONTEXT_INFO_INIT;
    cucore_error* error = nullptr;
    must(cucore_array_context_query(context, &info, &error), error);
    return info.kernels_launched;
  }
};

TEST_F(ArrayChain, IsEvaluatedAfterAFailedAllocation) {
  World world;
  cucore_array_release(world.pending);
  world.pending = nullptr;
  uint64_t failures = 0;
  for (uint64_t nth = 0; nth < ENOUGH; ++nth) {
    cucore_array* const chain = recorded(world.indices);
    const uint64_t before = kernels_launched(world.context);
    cucore_error* error = nullptr;
    arm_memory(nth, false);
    const cucore_status status = cucore_array_evaluate(&chain, 1, &error);
    disarm_memory();
    const bool failed = nth != 0 && memory_failed();
    EXPECT_EQ(status, failed ? CUCORE_ERROR_OUT_OF_MEMORY : CUCORE_OK)
        << cucore_error_message(error) << failed_allocation();
    cucore_error_release(error);
    EXPECT_EQ(elements(chain), expected()) << "allocation " << nth;
    EXPECT_TRUE(failed || kernels_launched(world.context) - before == KERNELS);
    cucore_array_release(chain);
    failures += failed;
    if (HasFailure() || (nth != 0 && !failed)) break;
  }
  EXPECT_GT(failures, uint64_t{KERNELS});
}

TEST_F(ArrayChain, IsEvaluatedOnceThereIsDeviceMemory) {
  constexpr uint64_t LIMIT = 1 << 20;
  World world;
  cucore_error* error = nullptr;
  cucore_array_context_options options = CUCORE_ARRAY_CONTEXT_OPTIONS_INIT;
  options.max_bytes = LIMIT;
  cucore_array_context* context = nullptr;
  must(cucore_array_context_create(world.device, &options, &context, &error), error);
  const int64_t three[] = {1, 2, 3};
  cucore_array* const numbers = from_host(context, CUCORE_ARRAY_DTYPE_INT64, three, {3});
  cucore_array* const chain = recorded(numbers);
  const std::vector<char> bytes(LIMIT - sizeof three);
  cucore_array* const ballast =
      from_host(context, CUCORE_ARRAY_DTYPE_BOOL, bytes.data(), {int64_t(bytes.size())});
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_EQ(cucore_array_evaluate(&chain, 1, &error), CUCORE_ERROR_OUT_OF_DEVICE_MEMORY);
    cucore_error_release(std::exchange(error, nullptr));
  }
  cucore_array_release(ballast);
  EXPECT_EQ(elements(chain), expected());
  cucore_array_release(chain);
  cucore_array_release(numbers);
  cucore_array_context_release(context);
}

TEST_F(ArraySweep, Allocations) { sweep_all(false); }
TEST_F(ArraySweep, AllocationsFromOneOn) { sweep_all(true); }

}  // namespace
}  // namespace sweep
