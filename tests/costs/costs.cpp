// SPDX-License-Identifier: Apache-2.0
// Repeats one operation: costs NAME COUNT... count.py counts its instructions with callgrind, which
// collects only within repeat(). If COSTS_PLANTED is set, each operation also makes that number of
// small calls, as a library that became slower would: the guard must then fail.
#include <cucore.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr char PTX[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 b, .param .f32 c) { ret; }
)";

[[noreturn]] void fail(const char* what, cucore_error* error) {
  std::fprintf(stderr, "costs: %s: %s\n", what, cucore_error_message(error));
  std::exit(1);
}

#define CALL(function, ...)                                                 \
  do {                                                                      \
    cucore_error* error = nullptr;                                          \
    if (function(__VA_ARGS__, &error) != CUCORE_OK) fail(#function, error); \
  } while (0)

// The objects that the operations use. They live until the process ends.
struct World {
  cucore_device* device = nullptr;
  cucore_stream* stream = nullptr;
  cucore_objectcode* code = nullptr;
  cucore_kernel* kernel = nullptr;
  World() {
    CALL(cucore_device_open, 0, &device);
    CALL(cucore_stream_create, device, nullptr, &stream);
    CALL(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, nullptr, &code);
    CALL(cucore_objectcode_find_kernel, code, "k", &kernel);
  }
};

cucore_launch_options one_thread() {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  for (int axis = 0; axis < 3; ++axis) options.grid[axis] = options.block[axis] = 1;
  return options;
}

void launch(const World& world, int count) {
  const cucore_launch_options options = one_thread();
  const uint64_t a = 0;
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(a), CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  for (int i = 0; i < count; ++i)
    CALL(cucore_kernel_launch, world.kernel, world.stream, &options, arguments, 3);
}

// With an observer that does nothing.
void launch_observed(const World& world, int count) {
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = options.end = [](const cucore_operation*, void**, void*) {};
  cucore_observer* observer = nullptr;
  CALL(cucore_observer_create, &options, &observer);
  launch(world, count);
  cucore_observer_release(observer);
}

// With an observer that counts in a tally.
void launch_tallied(const World& world, int count) {
  cucore_launch_tally tally = CUCORE_LAUNCH_TALLY_INIT;
  tally.left = static_cast<uint32_t>(count);
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = [](const cucore_operation* operation, void**, void* data) {
    (void)cucore_operation_tally(operation, static_cast<cucore_launch_tally*>(data));
  };
  options.user_data = &tally;
  cucore_observer* observer = nullptr;
  CALL(cucore_observer_create, &options, &observer);
  launch(world, count);
  cucore_observer_release(observer);
}

cucore_buffer* small_buffer(const World& world) {
  static cucore_buffer* buffer = [&] {
    cucore_buffer* made = nullptr;
    CALL(cucore_buffer_create, world.device, 16, world.stream, &made);
    return made;
  }();
  return buffer;
}

void launch_with_a_buffer(const World& world, int count) {
  const cucore_launch_options options = one_thread();
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {
      {small_buffer(world), CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  for (int i = 0; i < count; ++i)
    CALL(cucore_kernel_launch, world.kernel, world.stream, &options, arguments, 3);
}

// With the node's share of the end of the capture.
void capture_a_kernel(const World& world, int count) {
  static cucore_stream* stream = [&] {
    cucore_stream* made = nullptr;
    CALL(cucore_stream_create, world.device, nullptr, &made);
    return made;
  }();
  const cucore_launch_options options = one_thread();
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {
      {small_buffer(world), CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  CALL(cucore_stream_begin_capture, stream, nullptr);
  for (int i = 0; i < count; ++i)
    CALL(cucore_kernel_launch, world.kernel, stream, &options, arguments, 3);
  cucore_graph* graph = nullptr;
  CALL(cucore_stream_end_capture, stream, &graph);
  cucore_graph_release(graph);
}

cucore_graph* chain_of_kernels(const World& world, int count) {
  const cucore_launch_options options = one_thread();
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {
      {small_buffer(world), CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  cucore_graph* graph = nullptr;
  CALL(cucore_graph_create, world.device, &graph);
  cucore_node node = 0;
  for (int i = 0; i < count; ++i) {
    const cucore_node before = node;
    CALL(cucore_graph_add_kernel, graph, &before, i != 0, world.kernel, &options, arguments, 3,
         &node);
  }
  return graph;
}

// Kernels after the first one.
void add_branches(const World& world, int count) {
  const cucore_launch_options options = one_thread();
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {
      {small_buffer(world), CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  cucore_graph* graph = chain_of_kernels(world, 2);
  cucore_node first = 0, node = 0;
  CALL(cucore_graph_add_kernel, graph, nullptr, 0, world.kernel, &options, arguments, 3, &first);
  for (int i = 0; i < count; ++i)
    CALL(cucore_graph_add_kernel, graph, &first, 1, world.kernel, &options, arguments, 3, &node);
  cucore_graph_release(graph);
}

// With its share of the end of the graph.
void add_a_kernel_node(const World& world, int count) {
  cucore_graph_release(chain_of_kernels(world, count));
}

// Kernels in turns with nodes of another kind.
void add_mixed_nodes(const World& world, int count) {
  const cucore_launch_options options = one_thread();
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {
      {small_buffer(world), CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  cucore_graph* graph = nullptr;
  CALL(cucore_graph_create, world.device, &graph);
  cucore_node kernel = 0, empty = 0;
  for (int i = 0; i < count; ++i) {
    CALL(cucore_graph_add_kernel, graph, &empty, i != 0, world.kernel, &options, arguments, 3,
         &kernel);
    CALL(cucore_graph_add_empty, graph, &kernel, 1, &empty);
  }
  cucore_graph_release(graph);
}

// Calls `use` with a graph of one kernel and its executable.
template <class Use>
void with_executable(const World& world, Use use) {
  cucore_graph* graph = chain_of_kernels(world, 1);
  cucore_executable* executable = nullptr;
  CALL(cucore_executable_create, graph, nullptr, &executable);
  use(graph, executable);
  cucore_executable_release(executable);
  cucore_graph_release(graph);
}

// With its end. Nothing launches it.
void create_executable(const World& world, int count) {
  with_executable(world, [&](cucore_graph* graph, cucore_executable*) {
    for (int i = 0; i < count; ++i) {
      cucore_executable* executable = nullptr;
      CALL(cucore_executable_create, graph, nullptr, &executable);
      cucore_executable_release(executable);
    }
  });
}

void launch_executable(const World& world, int count) {
  with_executable(world, [&](cucore_graph*, cucore_executable* executable) {
    for (int i = 0; i < count; ++i) CALL(cucore_executable_launch, executable, world.stream);
  });
}

void update_executable(const World& world, int count) {
  with_executable(world, [&](cucore_graph* graph, cucore_executable* executable) {
    for (int i = 0; i < count; ++i) CALL(cucore_executable_update, executable, graph, nullptr);
  });
}

void run_prepared(const World& world, const cucore_argument& first, int count) {
  const cucore_launch_options options = one_thread();
  const uint32_t b = 1;
  const float c = 2;
  const cucore_argument arguments[] = {first, CUCORE_ARGUMENT(b), CUCORE_ARGUMENT(c)};
  cucore_prepared_launch* prepared = nullptr;
  CALL(cucore_prepared_launch_create, world.kernel, world.stream, &options, arguments, 3,
       &prepared);
  for (int i = 0; i < count; ++i) CALL(cucore_prepared_launch_run, prepared);
  cucore_prepared_launch_release(prepared);
}

void prepared_launch(const World& world, int count) {
  const uint64_t a = 0;
  run_prepared(world, CUCORE_ARGUMENT(a), count);
}

void prepared_with_a_buffer(const World& world, int count) {
  run_prepared(world, {small_buffer(world), CUCORE_ARGUMENT_OBJECT}, count);
}

void record_event(const World& world, int count) {
  static cucore_event* event = [&] {
    cucore_event* made = nullptr;
    CALL(cucore_event_create, world.device, nullptr, &made);
    return made;
  }();
  for (int i = 0; i < count; ++i) CALL(cucore_event_record, event, world.stream);
}

void create_event(const World& world, int count) {
  for (int i = 0; i < count; ++i) {
    cucore_event* event = nullptr;
    CALL(cucore_event_create, world.device, nullptr, &event);
    cucore_event_release(event);
  }
}

void query_event(const World& world, int count) {
  static cucore_event* event = [&] {
    cucore_event* made = nullptr;
    CALL(cucore_event_create, world.device, nullptr, &made);
    CALL(cucore_event_record, made, world.stream);
    return made;
  }();
  for (int i = 0; i < count; ++i) {
    int32_t done = 0;
    CALL(cucore_event_query, event, &done);
  }
}

void synchronize(const World& world, int count) {
  for (int i = 0; i < count; ++i) CALL(cucore_stream_synchronize, world.stream);
}

void allocate(const World& world, int count) {
  for (int i = 0; i < count; ++i) {
    cucore_buffer* buffer = nullptr;
    CALL(cucore_buffer_create, world.device, 64, world.stream, &buffer);
    cucore_buffer_release(buffer);
  }
}

// The stream has a block of this size from the second round on.
void allocate_from_a_pool(const World& world, int count) {
  cucore_pool* pool = nullptr;
  CALL(cucore_pool_create, world.device, nullptr, &pool);
  for (int i = 0; i < count; ++i) {
    cucore_buffer* buffer = nullptr;
    CALL(cucore_buffer_from_pool, pool, 64, world.stream, &buffer);
    cucore_buffer_release(buffer);
  }
  cucore_pool_release(pool);
}

void find_kernel(const World& world, int count) {
  for (int i = 0; i < count; ++i) {
    cucore_kernel* kernel = nullptr;
    CALL(cucore_objectcode_find_kernel, world.code, "k", &kernel);
    cucore_kernel_release(kernel);
  }
}

void read_property(const World& world, int count) {
  for (int i = 0; i < count; ++i) {
    int32_t major = 0, minor = 0;
    CALL(cucore_device_compute_capability, world.device, &major, &minor);
  }
}

void serialize(const World& world, int count) {
  static std::vector<char> bytes(65536);
  for (int i = 0; i < count; ++i) {
    size_t size = 0;
    CALL(cucore_objectcode_serialize, world.code, nullptr, bytes.data(), bytes.size(), &size);
  }
}

void deserialize(const World& world, int count) {
  static const std::vector<char> container = [&] {
    std::vector<char> bytes(65536);
    size_t size = 0;
    CALL(cucore_objectcode_serialize, world.code, nullptr, bytes.data(), bytes.size(), &size);
    bytes.resize(size);
    return bytes;
  }();
  for (int i = 0; i < count; ++i) {
    cucore_objectcode* code = nullptr;
    CALL(cucore_objectcode_deserialize, container.data(), container.size(), nullptr, &code);
    cucore_objectcode_release(code);
  }
}

// The process holds no equal object code, so all of it is read.
void deserialize_new(const World&, int count) {
  static const std::vector<char> container = [] {
    std::vector<char> bytes(65536);
    size_t size = 0;
    cucore_objectcode* code = nullptr;
    cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
    options.name = "new.ptx";
    CALL(cucore_objectcode_create, CUCORE_CODE_TYPE_PTX, PTX, sizeof PTX - 1, &options, &code);
    CALL(cucore_objectcode_serialize, code, nullptr, bytes.data(), bytes.size(), &size);
    cucore_objectcode_release(code);
    bytes.resize(size);
    return bytes;
  }();
  for (int i = 0; i < count; ++i) {
    cucore_objectcode* code = nullptr;
    CALL(cucore_objectcode_deserialize, container.data(), container.size(), nullptr, &code);
    cucore_objectcode_release(code);
  }
}

// Machine code becomes a kernel, which is dropped.
void load(const World& world, int count) {
  static const std::vector<char> image = [] {
    std::ifstream file(COSTS_CUBIN, std::ios::binary);
    return std::vector<char>(std::istreambuf_iterator<char>(file), {});
  }();
  (void)world;
  for (int i = 0; i < count; ++i) {
    cucore_objectcode* code = nullptr;
    cucore_kernel* kernel = nullptr;
    CALL(cucore_objectcode_create, CUCORE_CODE_TYPE_CUBIN, image.data(), image.size(), nullptr,
         &code);
    CALL(cucore_objectcode_find_kernel, code, "saxpy", &kernel);
    cucore_kernel_release(kernel);
    cucore_objectcode_release(code);
  }
}

// In memory.
struct Cached {
  cucore_cache* cache = nullptr;
  cucore_program* program = nullptr;

  static cucore_program* make_program() {
    cucore_program_options compiled = CUCORE_PROGRAM_OPTIONS_INIT;
    compiled.arch = "sm_90";
    const char source[] = "extern \"C\" __global__ void k() {}";
    cucore_program* program = nullptr;
    CALL(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, &compiled,
         &program);
    return program;
  }

  static const Cached& get() {
    static const Cached cached = [] {
      Cached made;
      const char* folder = std::getenv("COSTS_FOLDER");
      if (!folder) fail("COSTS_FOLDER is not set", nullptr);
      cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
      options.directory = folder;
      CALL(cucore_cache_open, &options, &made.cache);
      made.program = make_program();
      return made;
    }();
    return cached;
  }

  void find(const cucore_program* of) const {
    cucore_objectcode* code = nullptr;
    CALL(cucore_cache_compile, cache, of, CUCORE_CODE_TYPE_PTX, nullptr, 0, &code, nullptr);
    cucore_objectcode_release(code);
  }
};

void hit_cache(const World&, int count) {
  const Cached& cached = Cached::get();
  for (int i = 0; i < count; ++i) cached.find(cached.program);
}

// An image of CUDA sets such variables, and each hit reads the environment.
void hit_cache_in_cuda_image(const World& world, int count) {
  static const bool once = [] {
    for (int i = 0; i < 28; ++i)
      setenv(("NV_LIBCUBLAS_VERSION_" + std::to_string(i)).c_str(), "13.0.0.19", 1);
    return true;
  }();
  (void)once;
  hit_cache(world, count);
}

void hit_cache_by_new_program(const World&, int count) {
  const Cached& cached = Cached::get();
  for (int i = 0; i < count; ++i) {
    cucore_program* program = Cached::make_program();
    cached.find(program);
    cucore_program_release(program);
  }
}

using Operation = void (*)(const World&, int);

const std::map<std::string, Operation> OPERATIONS = {
    {"launch", &launch},
    {"launch_observed", &launch_observed},
    {"launch_tallied", &launch_tallied},
    {"launch_with_a_buffer", &launch_with_a_buffer},
    {"prepared_launch", &prepared_launch},
    {"prepared_with_a_buffer", &prepared_with_a_buffer},
    {"capture_a_kernel", &capture_a_kernel},
    {"add_a_kernel_node", &add_a_kernel_node},
    {"add_branches", &add_branches},
    {"add_mixed_nodes", &add_mixed_nodes},
    {"create_executable", &create_executable},
    {"launch_executable", &launch_executable},
    {"update_executable", &update_executable},
    {"record_event", &record_event},
    {"create_event", &create_event},
    {"query_event", &query_event},
    {"synchronize", &synchronize},
    {"allocate", &allocate},
    {"allocate_from_a_pool", &allocate_from_a_pool},
    {"find_kernel", &find_kernel},
    {"read_property", &read_property},
    {"serialize", &serialize},
    {"deserialize", &deserialize},
    {"deserialize_new", &deserialize_new},
    {"load", &load},
    {"hit_cache", &hit_cache},
    {"hit_cache_in_cuda_image", &hit_cache_in_cuda_image},
    {"hit_cache_by_new_program", &hit_cache_by_new_program},
};

}  // namespace

extern "C" __attribute__((noinline)) void repeat(Operation operation, const void* world,
                                                 int count) {
  operation(*static_cast<const World*>(world), count);
  if (const char* planted = std::getenv("COSTS_PLANTED"))
    read_property(*static_cast<const World*>(world), count * std::atoi(planted));
}

int main(int count, char** arguments) {
  const auto found = count > 2 ? OPERATIONS.find(arguments[1]) : OPERATIONS.end();
  if (found == OPERATIONS.end()) {
    std::fprintf(stderr, "usage: costs NAME COUNT...\n");
    return 2;
  }
  const World world;
  found->second(world, 50);  // prepared by the first calls
  for (int i = 2; i < count; ++i) repeat(found->second, &world, std::atoi(arguments[i]));
  return 0;
}
