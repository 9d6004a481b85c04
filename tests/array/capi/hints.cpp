// SPDX-License-Identifier: Apache-2.0
// An observer learns from the launches of generated kernels how many bytes they read and write.
#include <cucore_array.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int64_t SIZE = 100;
std::vector<std::pair<uint64_t, uint64_t>> launches;  // bytes read and written

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

cucore_array* filled(cucore_array_context* context, double value) {
  const cucore_array_scalar scalar{CUCORE_ARRAY_SCALAR_REAL, 0, 0, value, 0.0};
  cucore_array* array =
      made(cucore_array_full, context, CUCORE_ARRAY_DTYPE_FLOAT64, &SIZE, size_t{1}, &scalar);
  cucore_error* error = nullptr;
  must(cucore_array_evaluate(&array, 1, &error), error);
  return array;
}

}  // namespace

int main() {
  cucore_error* error = nullptr;
  cucore_device* device = nullptr;
  cucore_array_context* context = nullptr;
  must(cucore_device_open(0, &device, &error), error);
  must(cucore_array_context_create(device, nullptr, &context, &error), error);
  cucore_array* x = filled(context, 1);
  cucore_array* y = filled(context, 2);

  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.kinds = CUCORE_OPERATION_LAUNCH;
  options.begin = [](const cucore_operation* operation, void**, void*) {
    launches.emplace_back(operation->launch->bytes_read, operation->launch->bytes_written);
  };
  cucore_observer* observer = nullptr;
  must(cucore_observer_create(&options, &observer, &error), error);
  cucore_array* sum = made(cucore_array_binary, int32_t{CUCORE_ARRAY_OP_ADD}, x, y);
  must(cucore_array_evaluate(&sum, 1, &error), error);
  cucore_observer_release(observer);

  const std::pair<uint64_t, uint64_t> expected(2 * SIZE * sizeof(double), SIZE * sizeof(double));
  for (cucore_array* array : {x, y, sum}) cucore_array_release(array);
  cucore_array_context_release(context);
  cucore_device_release(device);
  if (launches.size() == 1 && launches[0] == expected) return 0;
  for (const auto& [read, written] : launches)
    std::fprintf(stderr, "read %llu, written %llu\n", static_cast<unsigned long long>(read),
                 static_cast<unsigned long long>(written));
  return 1;
}
