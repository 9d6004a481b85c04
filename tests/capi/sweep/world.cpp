// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

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

// Calls a function that must succeed and returns its output.
template <class T, class Call>
T* made(Call&& call) {
  T* out = nullptr;
  cucore_error* error = nullptr;
  if (call(&out, &error) == CUCORE_OK) return out;
  const ErrorHandle owner(error);
  throw std::runtime_error(cucore_error_message(error));
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

Device open_device(int32_t ordinal) {
  return Device(made<cucore_device>(
      [&](auto** out, auto** error) { return cucore_device_open(ordinal, out, error); }));
}

Stream make_stream(const cucore_device* device) {
  return Stream(made<cucore_stream>(
      [&](auto** out, auto** error) { return cucore_stream_create(device, nullptr, out, error); }));
}

Event make_event(const cucore_device* device) {
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  options.timing = 1;
  return Event(made<cucore_event>(
      [&](auto** out, auto** error) { return cucore_event_create(device, &options, out, error); }));
}

Buffer make_buffer(const cucore_device* device, const cucore_stream* stream) {
  return Buffer(made<cucore_buffer>([&](auto** out, auto** error) {
    return cucore_buffer_create(device, BUFFER_SIZE, stream, out, error);
  }));
}

Program make_program() {
  const char* names[] = {"factor.h"};
  const char* sources[] = {"#define FACTOR 2\n"};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = "sweep.cu";
  options.header_names = names;
  options.header_sources = sources;
  options.header_count = 1;
  return Program(made<cucore_program>([&](auto** out, auto** error) {
    return cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, SOURCE.data(), SOURCE.size(),
                                 &options, out, error);
  }));
}

namespace {

Code make_code_of(const std::string& ptx) {
  return Code(made<cucore_objectcode>([&](auto** out, auto** error) {
    return cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, ptx.data(), ptx.size(), nullptr, out,
                                    error);
  }));
}

}  // namespace

Code make_ptx() { return make_code_of(PTX); }

Code make_second_ptx() { return make_code_of(PTX + "// second\n"); }

Code make_fatbin() {
  static const std::string bytes = fatbin_of(PTX);
  return Code(made<cucore_objectcode>([&](auto** out, auto** error) {
    return cucore_objectcode_create(CUCORE_CODE_TYPE_FATBIN, bytes.data(), bytes.size(), nullptr,
                                    out, error);
  }));
}

Kernel find_saxpy(const cucore_objectcode* code) {
  return Kernel(made<cucore_kernel>([&](auto** out, auto** error) {
    return cucore_objectcode_find_kernel(code, "saxpy", out, error);
  }));
}

Queue make_queue() {
  return Queue(made<cucore_queue>(
      [&](auto** out, auto** error) { return cucore_queue_create(nullptr, out, error); }));
}

Future make_future(const cucore_stream* stream, cucore_queue* queue) {
  return Future(made<cucore_future>([&](auto** out, auto** error) {
    return cucore_future_from_stream(stream, queue, 1, out, error);
  }));
}

World::World()
    : device(open_device(0)),
      other(open_device(1)),
      spare(open_device(2)),
      stream(make_stream(device.get())),
      second_stream(make_stream(device.get())),
      start(make_event(device.get())),
      end(make_event(device.get())),
      buffer(make_buffer(device.get(), stream.get())),
      second_buffer(make_buffer(device.get(), stream.get())),
      pinned(made<cucore_buffer>([&](auto** out, auto** error) {
        return cucore_buffer_create_pinned(device.get(), BUFFER_SIZE, out, error);
      })),
      program(make_program()),
      code(make_ptx()),
      kernel(find_saxpy(code.get())),
      queue(make_queue()),
      future(make_future(stream.get(), queue.get())) {
  cucore_error* error = nullptr;
  if (cucore_event_record(start.get(), stream.get(), &error) != CUCORE_OK ||
      cucore_event_record(end.get(), stream.get(), &error) != CUCORE_OK ||
      cucore_device_reset(spare.get(), &error) != CUCORE_OK)
    throw std::runtime_error(cucore_error_message(error));
  // Other code may have launched kernels that print on it. A query does all of its work now, and a
  // context keeps the objects for it.
  int32_t done = 0;
  if (!cucore_stream_native(stream.get()) ||
      cucore_stream_query(stream.get(), &done, &error) != CUCORE_OK)
    throw std::runtime_error(cucore_error_message(error));
  cucore_completion taken;
  size_t count = 0;
  if (cucore_queue_wait(queue.get(), -1, &taken, 1, &count, &error) != CUCORE_OK)
    throw std::runtime_error(cucore_error_message(error));
  // libcrypto's own initialisation, at the first hash, does not survive a lack of memory.
  Code(made<cucore_objectcode>([&](auto** out, auto** failure) {
    return cucore_program_compile(program.get(), CUCORE_CODE_TYPE_PTX, nullptr, 0, out, failure);
  }));
}

}  // namespace sweep
