// SPDX-License-Identifier: Apache-2.0
// Options of callers built against an older or a newer header than this library's.
#include <cstddef>
#include <cstring>

#include "capi_testing.hpp"

namespace {

using namespace capi_test;

// An options struct of a possible later header.
template <class T>
struct Newer {
  T options;
  unsigned char later[24] = {};
};

template <class T>
Newer<T> newer(T options) {
  Newer<T> grown{options};
  grown.options.struct_size = sizeof grown;
  return grown;
}

// `call` uses the options and returns the status. Sizes below `first` and absurd ones are refused,
// a zero tail is accepted, and a byte in the tail is named.
template <class T, class Call>
void check(T options, const char* type, Call&& call, size_t first = sizeof(T)) {
  SCOPED_TRACE(type);
  const std::string field = std::string(type) + ".struct_size";
  for (const size_t size :
       {size_t{0}, size_t{1}, first - sizeof(void*), size_t{1} << 20, SIZE_MAX}) {
    T wrong = options;
    wrong.struct_size = size;
    FAILS(CUCORE_ERROR_ABI_MISMATCH, field, call, &wrong);
  }
  Newer<T> grown = newer(options);
  SUCCEEDS(call, &grown.options);
  for (const size_t at : {size_t{0}, sizeof grown.later - 1}) {
    grown = newer(options);
    grown.later[at] = 1;
    FAILS(CUCORE_ERROR_ABI_MISMATCH, std::string(type) + "|byte " + std::to_string(sizeof(T) + at),
          call, &grown.options);
  }
}

TEST(Options, OfPrograms) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  check(
      options, "cucore_program_options",
      [](const cucore_program_options* o, cucore_error** e) {
        Program program;
        return cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, "", 0, o, program.out(), e);
      },
      offsetof(cucore_program_options, toolkit_headers));
}

TEST(Options, OfObjectCode) {
  cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
  check(options, "cucore_objectcode_options",
        [](const cucore_objectcode_options* o, cucore_error** e) {
          Code code;
          return cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, PTX, PTX_SIZE, o, code.out(), e);
        });
}

TEST(Options, OfSerializing) {
  const Code code = make_ptx_code();
  cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
  check(options, "cucore_serialize_options",
        [&](const cucore_serialize_options* o, cucore_error** e) {
          size_t size = 0;
          return cucore_objectcode_serialize(code, o, nullptr, 0, &size, e);
        });
}

TEST(Options, OfDeserializing) {
  const auto bytes = serialized(make_ptx_code());
  cucore_deserialize_options options = CUCORE_DESERIALIZE_OPTIONS_INIT;
  check(options, "cucore_deserialize_options",
        [&](const cucore_deserialize_options* o, cucore_error** e) {
          Code code;
          return cucore_objectcode_deserialize(bytes.data(), bytes.size(), o, code.out(), e);
        });
}

TEST(Options, OfSymbols) {
  const Code code = make_ptx_code();
  Newer<cucore_symbol_info> grown{CUCORE_SYMBOL_INFO_INIT};
  grown.options.struct_size = sizeof grown;
  SUCCEEDS(cucore_objectcode_symbol_at, code, 0, &grown.options);
  EXPECT_EQ(grown.options.struct_size, sizeof grown);
  grown.options.struct_size = sizeof(cucore_symbol_info) - 1;
  FAILS(CUCORE_ERROR_ABI_MISMATCH, "cucore_symbol_info.struct_size", cucore_objectcode_symbol_at,
        code, 0, &grown.options);
}

TEST(Options, OfObservers) {
  cucore_observer_options options = CUCORE_OBSERVER_OPTIONS_INIT;
  options.begin = [](const cucore_operation*, void**, void*) {};
  check(options, "cucore_observer_options", [](const cucore_observer_options* o, cucore_error** e) {
    Observer observer;
    return cucore_observer_create(o, observer.out(), e);
  });
}

class OptionsOnDevice : public OnDevice {};

TEST_F(OptionsOnDevice, OfStreams) {
  cucore_stream_options options = CUCORE_STREAM_OPTIONS_INIT;
  check(options, "cucore_stream_options", [&](const cucore_stream_options* o, cucore_error** e) {
    Stream stream;
    return cucore_stream_create(device_, o, stream.out(), e);
  });
}

TEST_F(OptionsOnDevice, OfEvents) {
  cucore_event_options options = CUCORE_EVENT_OPTIONS_INIT;
  check(options, "cucore_event_options", [&](const cucore_event_options* o, cucore_error** e) {
    Event event;
    return cucore_event_create(device_, o, event.out(), e);
  });
}

TEST_F(OptionsOnDevice, OfLaunches) {
  const Kernel kernel = find_kernel(make_ptx_code(), "empty");
  check(
      grid(1, 1), "cucore_launch_options",
      [&](const cucore_launch_options* o, cucore_error** e) {
        return cucore_kernel_launch(kernel, stream_, o, nullptr, 0, e);
      },
      offsetof(cucore_launch_options, preferred_cluster));
  cucore_launch_options options = grid(1, 1);
  options.reserved = 1;
  FAILS(CUCORE_ERROR_INVALID_ARGUMENT, "cucore_launch_options.reserved", cucore_kernel_launch,
        kernel, stream_, &options, nullptr, 0);
}

}  // namespace
