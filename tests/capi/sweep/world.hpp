// SPDX-License-Identifier: Apache-2.0
// The objects of the scenarios, and functions that create more.
#pragma once

#include <cucore.hpp>
#include <string>

#include "run.hpp"

namespace sweep {

using cucore::Buffer;
using cucore::Cache;
using cucore::Checks;
using cucore::Device;
using cucore::Event;
using cucore::Executable;
using cucore::External;
using cucore::Future;
using cucore::Graph;
using cucore::Kernel;
using cucore::Linker;
using cucore::Observer;
using cucore::Pool;
using cucore::PreparedLaunch;
using cucore::Program;
using cucore::Queue;
using cucore::Stream;
using Code = cucore::ObjectCode;
using ErrorHandle = cucore::Error;

// Created without injected failures; throws if a call fails.
Device open_device(int32_t ordinal);
Stream make_stream(const cucore_device* device);
Event make_event(const cucore_device* device);  // with timing
Buffer make_buffer(const cucore_device* device, const cucore_stream* stream);
Program make_program();
Code make_ptx();         // a kernel saxpy(int, float, const float *, float *) and a global, counter
Code make_second_ptx();  // the same with other bytes
Code make_fatbin();      // the same as a fat binary: the driver reports which image it loaded
Linker make_linker();
Cache make_cache();  // in memory only
Kernel find_saxpy(const cucore_objectcode* code);
// Of saxpy, with a buffer as x and y.
PreparedLaunch prepare_saxpy(const cucore_kernel* kernel, const cucore_stream* stream,
                             const cucore_buffer* buffer);
Graph make_graph(const cucore_device* device);
// With a kernel, a fill and a record that follow each other.
Graph make_full_graph(const cucore_device* device, const cucore_kernel* saxpy,
                      cucore_buffer* buffer, cucore_event* event);
Executable make_executable(const cucore_graph* graph);
External make_semaphore(const cucore_device* device);  // binary
Queue make_queue();
Checks make_checks(const char* suppressions = nullptr);  // running
cucore_observer_options observes_all();
Observer make_observer();  // of all operations
Future make_future(const cucore_stream* stream, cucore_queue* queue);

// After a failed allocation the library frees pending memory and tries again, which may succeed.
void tolerate_a_second_try(Run& run);

extern const std::string PTX;
extern const std::string SOURCE;

constexpr size_t BUFFER_SIZE = 1024;

struct World {
  World();
  explicit World(std::nullptr_t) {}  // before the driver is chosen: no objects

  Device device;  // 0: all objects are on it
  Device other;   // 1: its context is current for the caller
  Device spare;   // 2: for resets
  Stream stream, second_stream;
  Event start, end;
  Pool pool;
  Buffer buffer, second_buffer, pinned;
  Program program;
  Code code;
  Kernel kernel;
  PreparedLaunch prepared;
  Graph graph;
  Executable executable;
  External semaphore;
  Queue queue;
  Future future;  // complete, and its completion taken
};

struct Scenario {
  const char* function;  // the exported function under test
  std::function<void(Run&, World&)> body;
  std::function<void(World&)> settle = {};  // restores state that a failure has correctly changed
};

// The functions that matter before the library has opened anything, without a world.
std::vector<Scenario> first_scenarios();
std::vector<Scenario> library_scenarios();
std::vector<Scenario> device_scenarios();
std::vector<Scenario> stream_scenarios();
std::vector<Scenario> event_scenarios();
std::vector<Scenario> pool_scenarios();
std::vector<Scenario> buffer_scenarios();
std::vector<Scenario> program_scenarios();
std::vector<Scenario> linker_scenarios();
std::vector<Scenario> cache_scenarios();
std::vector<Scenario> objectcode_scenarios();
std::vector<Scenario> kernel_scenarios();
std::vector<Scenario> completion_scenarios();
std::vector<Scenario> checks_scenarios();
std::vector<Scenario> observer_scenarios();
std::vector<Scenario> graph_scenarios();
std::vector<Scenario> graph_change_scenarios();
std::vector<Scenario> capture_scenarios();
std::vector<Scenario> external_scenarios();

// A function with one output that is a handle: calls it, checks it, releases the handle.
template <class T, class Call>
void makes(Run& run, void (*release)(T*), Call&& call) {
  T* out = Run::garbage<T>();
  run.call([&](cucore_error** error) { return call(&out, error); });
  run.output("out", out);
  if (run.ok()) release(out);
}

// retain() and release() of a type, which cannot fail.
template <class T>
void retains(Run& run, T* handle, T* (*retain)(const T*), void (*release)(T*)) {
  T* again = run.plain([&] { return retain(handle); });
  EXPECT_EQ(again, handle);
  release(again);
}

// A box at the start of a buffer, with rows of 16 bytes.
inline cucore_box box_in(cucore_buffer* buffer) {
  cucore_box box = CUCORE_BOX_INIT;
  box.buffer = buffer;
  box.row_bytes = 16;
  return box;
}

}  // namespace sweep
