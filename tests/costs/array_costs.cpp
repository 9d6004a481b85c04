// SPDX-License-Identifier: Apache-2.0
// Repeats one operation of arrays: array_costs NAME COUNT... count.py counts its instructions with
// callgrind, which collects only within repeat(). Without callgrind, the time of one operation is
// printed, on any driver. If COSTS_PLANTED is set, each operation also makes that number of calls.
#include <cucore_array.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void fail(const char* what, cucore_error* error) {
  std::fprintf(stderr, "array_costs: %s: %s\n", what, cucore_error_message(error));
  std::exit(1);
}

#define CALL(function, ...)                                                 \
  do {                                                                      \
    cucore_error* error = nullptr;                                          \
    if (function(__VA_ARGS__, &error) != CUCORE_OK) fail(#function, error); \
  } while (0)

constexpr int64_t COUNT = 1024;

// Releases its array at its end.
class Held {
 public:
  explicit Held(cucore_array* array) : array_(array) {}
  Held(const Held&) = delete;
  ~Held() { cucore_array_release(array_); }
  Held& operator=(Held&& other) noexcept {
    std::swap(array_, other.array_);
    return *this;
  }
  cucore_array* get() const { return array_; }

 private:
  cucore_array* array_;
};

Held unary(int32_t op, const Held& x) {
  cucore_array* out = nullptr;
  CALL(cucore_array_unary, op, x.get(), &out);
  return Held(out);
}
Held binary(int32_t op, const Held& x, const Held& y) {
  cucore_array* out = nullptr;
  CALL(cucore_array_binary, op, x.get(), y.get(), &out);
  return Held(out);
}
Held plus(const Held& x, double number) {
  cucore_array* out = nullptr;
  CALL(cucore_array_binary_scalar, CUCORE_ARRAY_OP_ADD, x.get(), number, 0, &out);
  return Held(out);
}
void evaluate(const Held& x) {
  cucore_array* const arrays[] = {x.get()};
  CALL(cucore_array_evaluate, arrays, 1);
}

cucore_array_context* new_context() {
  cucore_array_context_options options = CUCORE_ARRAY_CONTEXT_OPTIONS_INIT;
  cucore_device* device = nullptr;
  CALL(cucore_device_open, 0, &device);
  if (const char* folder = std::getenv("COSTS_FOLDER")) {
    cucore_cache_options cache = CUCORE_CACHE_OPTIONS_INIT;
    cache.directory = folder;
    CALL(cucore_cache_open, &cache, &options.cache);
  }
  cucore_array_context* context = nullptr;
  CALL(cucore_array_context_create, device, &options, &context);
  cucore_device_release(device);
  return context;
}

cucore_array* number_array(cucore_array_context* context) {
  static const float numbers[COUNT] = {};
  const int64_t shape[] = {COUNT};
  cucore_array* out = nullptr;
  CALL(cucore_array_from_host, context, CUCORE_ARRAY_DTYPE_FLOAT32, numbers, shape, 1, nullptr,
       &out);
  return out;
}

struct World {
  cucore_array_context* context = new_context();
  Held x{number_array(context)}, y{number_array(context)}, z{number_array(context)};
};

void record(World& world, int count) {
  for (int i = 0; i < count; ++i) binary(CUCORE_ARRAY_OP_ADD, world.x, world.y);
}

// sqrt(sin(x) * cos(y) + exp(-z * z) + log(x + 1))
Held pipeline(World& world) {
  const Held& z = world.z;
  const Held waves = binary(CUCORE_ARRAY_OP_MULTIPLY, unary(CUCORE_ARRAY_OP_SIN, world.x),
                            unary(CUCORE_ARRAY_OP_COS, world.y));
  const Held bell = unary(CUCORE_ARRAY_OP_EXP,
                          binary(CUCORE_ARRAY_OP_MULTIPLY, unary(CUCORE_ARRAY_OP_NEGATIVE, z), z));
  const Held sum = binary(CUCORE_ARRAY_OP_ADD, waves, bell);
  const Held all = binary(CUCORE_ARRAY_OP_ADD, sum, unary(CUCORE_ARRAY_OP_LOG, plus(world.x, 1)));
  return unary(CUCORE_ARRAY_OP_SQRT, all);
}

// The expression is known after the first time.
void expression(World& world, int count) {
  for (int i = 0; i < count; ++i) evaluate(pipeline(world));
}

// x = x * a + b
void loop(World& world, int count) {
  Held x = plus(world.x, 0);
  for (int i = 0; i < count; ++i) {
    x = binary(CUCORE_ARRAY_OP_ADD, binary(CUCORE_ARRAY_OP_MULTIPLY, x, world.y), world.z);
    evaluate(x);
  }
}

// A kernel of nothing, with as many bytes of parameters as that of the expression has.
class Empty {
 public:
  explicit Empty(cucore_array_context* context) {
    static constexpr char TEXT[] =
        ".version 7.0\n.target sm_50\n.address_size 64\n"
        ".visible .entry nothing(.param .align 8 .b8 p[72]) { ret; }\n";
    cucore_objectcode* code = nullptr;
    CALL(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, TEXT, sizeof TEXT, nullptr, &code);
    CALL(cucore_objectcode_find_kernel, code, "nothing", &kernel_);
    CALL(cucore_array_context_stream, context, &stream_);
    cucore_objectcode_release(code);
  }
  Empty(const Empty&) = delete;
  ~Empty() {
    cucore_kernel_release(kernel_);
    cucore_stream_release(stream_);
  }
  void launch() {
    static constexpr char PARAMETERS[72] = {};
    cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
    options.grid[0] = options.block[0] = 1;
    CALL(cucore_kernel_launch_packed, kernel_, stream_, &options, PARAMETERS, sizeof PARAMETERS);
  }
  void wait() { CALL(cucore_stream_synchronize, stream_); }

 private:
  cucore_kernel* kernel_ = nullptr;
  cucore_stream* stream_ = nullptr;
};

template <class Action>
double nanoseconds(Empty& empty, const Action& action) {
  constexpr int ROUNDS = 50;  // few enough for the queue of the device
  empty.wait();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < ROUNDS; ++i) action();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / ROUNDS;
}

double median(std::vector<double>& numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + numbers.size() / 2, numbers.end());
  return numbers[numbers.size() / 2];
}

// The time of an evaluation up to its launch: what remains of an evaluated expression without its
// recording and without a launch.
void print_evaluation(World& world, int turns) {
  Empty empty(world.context);
  std::vector<double> evaluated, recorded, launched;
  for (int turn = 0; turn < turns; ++turn) {
    evaluated.push_back(nanoseconds(empty, [&] { evaluate(pipeline(world)); }));
    recorded.push_back(nanoseconds(empty, [&] { pipeline(world); }));
    launched.push_back(nanoseconds(empty, [&] { empty.launch(); }));
  }
  const double all = median(evaluated), operations = median(recorded), launch = median(launched);
  std::printf("expression %.0f ns: recorded %.0f ns, evaluated %.0f ns, launched %.0f ns\n", all,
              operations, all - operations - launch, launch);
}

using Operation = void (*)(World&, int);

const std::map<std::string, Operation> OPERATIONS = {
    {"record", &record}, {"expression", &expression}, {"loop", &loop}};

}  // namespace

extern "C" __attribute__((noinline)) void repeat(Operation operation, void* world, int count) {
  operation(*static_cast<World*>(world), count);
  if (const char* planted = std::getenv("COSTS_PLANTED"))
    record(*static_cast<World*>(world), count * std::atoi(planted));
}

int main(int count, char** arguments) {
  if (count == 3 && std::string_view(arguments[1]) == "evaluation") {
    World world;
    expression(world, 50);  // known from then on
    print_evaluation(world, std::atoi(arguments[2]));
    return 0;
  }
  const auto found = count > 2 ? OPERATIONS.find(arguments[1]) : OPERATIONS.end();
  if (found == OPERATIONS.end()) {
    std::fprintf(stderr, "usage: array_costs record | expression | loop | evaluation COUNT...\n");
    return 2;
  }
  World world;
  found->second(world, 50);  // prepared by the first calls
  for (int i = 2; i < count; ++i) {
    const int rounds = std::atoi(arguments[i]);
    const auto begin = std::chrono::steady_clock::now();
    repeat(found->second, &world, rounds);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    std::printf("%s %.0f ns\n", arguments[1], time.count() / rounds);
  }
  return 0;
}
