// SPDX-License-Identifier: Apache-2.0
// The rows of the driver record: each is a named call or short sequence, and writes one line of
// text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cpu/driver/cuda_api.hpp"

namespace cucore::cpu::record {

// The functions of the opened driver under their exported names; null if the driver lacks one.
struct Driver {
#define ENTRY(needs, name, base, version, params, args) decltype(&::name) name = nullptr;
#define PER_THREAD(needs, name, impl, base, version, params, args)
#include "cpu/driver/entry_points.inc"
#undef ENTRY
#undef PER_THREAD
};
extern Driver cu;

// State at the start of a row. After the row, every context is popped, and the fresh one destroyed.
// If it is poisoned, its process ends.
enum class Start : uint8_t {
  UNINITIALISED,  // a process of its own, before cuInit
  PROCESS,        // a process of its own, after cuInit, no context
  EMPTY,          // no current context
  CONTEXT,        // a fresh context
  SHARED,         // a context of earlier rows: the row depends on no state, and leaves none
};

// An output that no call has written.
inline constexpr uint64_t UNSET = 0x5a5a5a5a5a5a5a5a;
template <class T>
T unset() {
  T value;
  __builtin_memset(&value, 0x5a, sizeof value);
  return value;
}

// The text of one row. Addresses, handles and times appear only as "0", "set" and "unset".
class Line {
 public:
  explicit Line(std::function<void(const std::string&)> changed) : changed_(std::move(changed)) {}
  Line& operator()(CUresult result);
  Line& operator()(const char* step, CUresult result);
  template <class T>
  Line& value(const char* name, T number) {
    return text(name, number == unset<T>() ? "unset" : std::to_string(number));
  }
  Line& text(const char* name, const std::string& value);
  template <class T>
  Line& handle(const char* name, T pointer) {
    const auto bits = (uint64_t)pointer;  // NOLINT: a pointer or an integer
    return text(name, bits == 0 ? "0" : bits == UNSET ? "unset" : "set");
  }

 private:
  void append(const std::string& separator, const std::string& part);
  std::function<void(const std::string&)> changed_;  // receives the whole text after each part
  std::string content_;
};

struct Row {
  std::string name;
  Start start;
  std::function<void(Line&)> run;
};

class Rows {
 public:
  explicit Rows(std::string subject) : subject_(std::move(subject)) {}
  void subject(std::string subject) { subject_ = std::move(subject); }
  void add(Start start, const std::string& name, std::function<void(Line&)> run) {
    all.push_back({subject_ + ": " + name, start, std::move(run)});
  }
  std::vector<Row> all;

 private:
  std::string subject_;
};

void add_names(Rows& rows);
void add_device(Rows& rows);
void add_without_context(Rows& rows);
void add_context(Rows& rows);
void add_limits(Rows& rows);
void add_primary(Rows& rows);
void add_memory(Rows& rows);
void add_host_memory(Rows& rows);
void add_pointer(Rows& rows);
void add_copy(Rows& rows);
void add_arrays(Rows& rows);
void add_boxes(Rows& rows);
void add_memset(Rows& rows);
void add_stream(Rows& rows);
void add_event(Rows& rows);
void add_module(Rows& rows);
void add_queries(Rows& rows);
void add_library(Rows& rows);
void add_link(Rows& rows);
void add_function(Rows& rows);
void add_occupancy(Rows& rows);
void add_launch(Rows& rows);
void add_pool(Rows& rows);
void add_virtual(Rows& rows);
void add_tensors(Rows& rows);
void add_fma(Rows& rows);
void add_graphs(Rows& rows);
void add_captures(Rows& rows);
void add_output(Rows& rows);
void add_faults(Rows& rows);
void add_large_stacks(Rows& rows);  // last: they may take most of the memory of a GPU

// Helpers of rows. A failure of one ends the row with the text "setup: ...".
extern const char* const PTX;
void check(CUresult result, const char* what);
CUmodule load();
CUfunction function(const char* name);
CUlibrary load_library();
CUkernel kernel(CUlibrary library, const char* name);
CUdeviceptr allocate(size_t bytes);
void* allocate_host(size_t bytes);
CUdeviceptr allocate_managed(size_t bytes);
CUstream new_stream(unsigned flags = 0);
CUevent new_event(unsigned flags = 0);
CUcontext new_context();  // it becomes current
std::string result_name(CUresult result);
size_t output_bytes();  // bytes that the process has written to standard output
inline void no_work(void*) {}
inline void no_reply(CUstream, CUresult, void*) {}
// Occupies the stream until open() or the end of the object.
class Gate {
 public:
  explicit Gate(CUstream stream);
  ~Gate();
  void open();

 private:
  volatile uint32_t* flag_;
};

// Page-aligned memory of the process that is not registered.
class Pages {
 public:
  explicit Pages(size_t bytes);
  ~Pages();
  char* data = nullptr;

 private:
  size_t bytes_;
};

}  // namespace cucore::cpu::record
