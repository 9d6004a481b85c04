// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <sys/eventfd.h>

#include <stdexcept>

namespace sweep {
namespace {

// A fat binary with one entry, PTX that is not compressed, with headers in nvcc's format.
std::string fatbin_of(std::string ptx) {
  ptx.resize((ptx.size() + 7) / 8 * 8, '\n');
  struct {
    uint32_t magic = 0xba55ed50;
    uint16_t version = 1, header_size = 16;
    uint64_t size = 0;
    uint16_t kind = 1, entry_version = 0x101;
    uint32_t entry_header_size = 80;
    uint64_t payload_size = 0;
    uint32_t compressed_size = 0, options = 64;
    uint16_t minor = 0, major = 9;
    uint32_t arch = 90, name = 0, name_size = 0;
    uint64_t flags = 0x11;
    uint64_t none[2] = {};
    uint32_t options_at[4] = {72, 0, 0, 0};
  } header;
  static_assert(sizeof header == 16 + 80);
  header.payload_size = ptx.size();
  header.size = 80 + ptx.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + ptx;
}

}  // namespace

const std::string PTX =
    ".version 8.0\n.target sm_90\n.address_size 64\n\n"
    ".visible .global .align 4 .u32 counter;\n\n"
    ".visible .entry saxpy(\n\t.param .u32 saxpy_param_0,\n\t.param .f32 saxpy_param_1,\n"
    "\t.param .u64 saxpy_param_2,\n\t.param .u64 saxpy_param_3\n)\n{\n\tret;\n}\n";

const std::string SOURCE =
    "#include \"factor.h\"\n"
    "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y) { }\n"
    "template <class T> __global__ void scale(T *x, int n) { }\n";

Device open_device(int32_t ordinal) { return cucore::make<Device>(cucore_device_open, ordinal); }

Stream make_stream(const cucore_device* device) {
  return cucore::make<Stream>(cucore_stream_create, device, nullptr);
}

Event make_event(const cucore_device* device) {
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = 1;
  return cucore::make<Event>(cucore_event_create, device, &options);
}

Buffer make_buffer(const cucore_device* device, const cucore_stream* stream) {
  return cucore::make<Buffer>(cucore_buffer_create, device, BUFFER_SIZE, stream);
}

Program make_program() {
  const char* names[] = {"factor.h"};
  const char* sources[] = {"#define FACTOR 2\n"};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = "sweep.cu";
  options.header_names = names;
  options.header_sources = sources;
  options.header_count = 1;
  return cucore::make<Program>(cucore_program_create, CUCORE_SOURCE_TYPE_CUDA_CPP, SOURCE.data(),
                               SOURCE.size(), &options);
}

namespace {

Code make_code_of(const std::string& ptx) { return Code::create(cucore::CodeType::ptx, ptx); }

}  // namespace

Code make_ptx() { return make_code_of(PTX); }

Code make_second_ptx() { return make_code_of(PTX + "// second\n"); }

Code make_fatbin() {
  static const std::string bytes = fatbin_of(PTX);
  return Code::create(cucore::CodeType::fatbin, bytes);
}

Kernel find_saxpy(const cucore_objectcode* code) {
  return cucore::make<Kernel>(cucore_objectcode_find_kernel, code, "saxpy");
}

PreparedLaunch prepare_saxpy(const cucore_kernel* kernel, const cucore_stream* stream,
                             const cucore_buffer* buffer) {
  const int32_t n = 4;
  const float a = 2;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(n),
                                       CUCORE_ARGUMENT(a),
                                       {buffer, CUCORE_ARGUMENT_OBJECT},
                                       {buffer, CUCORE_ARGUMENT_OBJECT}};
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = 1;
  return cucore::make<PreparedLaunch>(cucore_prepared_launch_create, kernel, stream, &options,
                                      static_cast<const cucore_argument*>(arguments), size_t{4});
}

cucore_observer_options observes_all() {
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = options.end = [](const cucore_operation*, void**, void*) {};
  return options;
}

Observer make_observer() {
  const cucore_observer_options options = observes_all();
  return cucore::make<Observer>(cucore_observer_create, &options);
}

Checks make_checks(const char* suppressions) {
  cucore_checks_options options = CUCORE_CHECKS_OPTIONS_INIT;
  options.suppressions = suppressions;
  return cucore::make<Checks>(cucore_checks_create, &options);
}

Graph make_graph(const cucore_device* device) {
  return cucore::make<Graph>(cucore_graph_create, device);
}

Graph make_full_graph(const cucore_device* device, const cucore_kernel* saxpy,
                      cucore_buffer* buffer, cucore_event* event) {
  Graph graph = make_graph(device);
  const int32_t n = 4;
  const float a = 2;
  const cucore_argument arguments[] = {CUCORE_ARGUMENT(n),
                                       CUCORE_ARGUMENT(a),
                                       {buffer, CUCORE_ARGUMENT_OBJECT},
                                       {buffer, CUCORE_ARGUMENT_OBJECT}};
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  options.grid[0] = options.block[0] = 1;
  cucore_node node = 0;
  cucore_graph_add_kernel(graph.get(), nullptr, 0, saxpy, &options, arguments, 4, &node, nullptr);
  cucore_graph_add_fill(graph.get(), &node, 1, buffer, 0, 4, &n, 4, &node, nullptr);
  cucore_graph_add_record(graph.get(), &node, 1, event, &node, nullptr);
  if (cucore_graph_node_count(graph.get()) != 3) throw std::runtime_error("no graph");
  return graph;
}

Executable make_executable(const cucore_graph* graph) {
  return cucore::make<Executable>(cucore_executable_create, graph, nullptr);
}

External make_semaphore(const cucore_device* device) {
  return cucore::make<External>(cucore_external_semaphore_from_descriptor, device,
                                eventfd(0, EFD_CLOEXEC), 0);
}

Queue make_queue() { return cucore::make<Queue>(cucore_queue_create, nullptr); }

Future make_future(const cucore_stream* stream, cucore_queue* queue) {
  return cucore::make<Future>(cucore_future_from_stream, stream, queue, 1);
}

void tolerate_a_second_try(Run& run) {
  constexpr int32_t OUT_OF_MEMORY = 2;  // CUresult
  if (run.ok() && run.result() == OUT_OF_MEMORY) run.tolerate();
}

World::World()
    : device(open_device(0)),
      other(open_device(1)),
      spare(open_device(2)),
      stream(make_stream(device.get())),
      second_stream(make_stream(device.get())),
      start(make_event(device.get())),
      end(make_event(device.get())),
      pool(cucore::make<Pool>(cucore_pool_create, device.get(), nullptr)),
      buffer(make_buffer(device.get(), stream.get())),
      second_buffer(make_buffer(device.get(), stream.get())),
      pinned(Buffer::create_pinned(device, BUFFER_SIZE)),
      program(make_program()),
      code(make_ptx()),
      kernel(find_saxpy(code.get())),
      prepared(prepare_saxpy(kernel.get(), stream.get(), buffer.get())),
      graph(make_full_graph(device.get(), kernel.get(), second_buffer.get(), end.get())),
      executable(make_executable(graph.get())),
      semaphore(make_semaphore(device.get())),
      queue(make_queue()),
      future(make_future(stream.get(), queue.get())) {
  start.record(stream);
  end.record(stream);
  spare.reset_context();
  // Other code may have launched kernels that print on it. A query does all of its work now, and a
  // context keeps the objects for it.
  if (!stream.native()) throw std::runtime_error("the stream has no CUstream");
  static_cast<void>(stream.query());
  cucore_completion taken;
  size_t count = 0;
  cucore::call(cucore_queue_wait, queue.get(), std::int64_t{-1}, &taken, std::size_t{1}, &count);
  // libcrypto's own initialisation, at the first hash, does not survive a lack of memory.
  static_cast<void>(program.compile());
}

}  // namespace sweep
