// SPDX-License-Identifier: Apache-2.0
// Object code: created, written, read, loaded.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "world.hpp"

namespace sweep {
namespace {

std::vector<char> serialized(const cucore_objectcode* code, cucore_toggle compression) {
  cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
  options.compression = compression;
  size_t size = 0;
  cucore_objectcode_serialize(code, &options, nullptr, 0, &size, nullptr);
  std::vector<char> bytes(size);
  cucore_objectcode_serialize(code, &options, bytes.data(), bytes.size(), &size, nullptr);
  return bytes;
}

// Returns the name of a file that contains the PTX while the tests run.
const std::string& ptx_file() {
  static const std::string path = [] {
    char name[] = "/tmp/cucore-sweep-XXXXXX";
    const int file = mkstemp(name);
    EXPECT_EQ(::write(file, PTX.data(), PTX.size()), static_cast<ssize_t>(PTX.size()));
    close(file);
    static std::string kept = name;
    std::atexit([] { std::remove(kept.c_str()); });
    return kept;
  }();
  return path;
}

void create_objectcode(Run& run, World&) {
  const char* expressions[] = {"an::expression<that, is, long>"};
  const char* lowered[] = {"saxpy"};
  cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
  options.name = "object code whose name is longer than any small string";
  options.expressions = expressions;
  options.lowered_names = lowered;
  options.expression_count = 1;
  makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, PTX.data(), PTX.size(), &options, out,
                                    error);
  });
}

Scenario serializes(cucore_toggle compression) {
  return {"cucore_objectcode_serialize", [=](Run& run, World& world) {
            cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
            options.compression = compression;
            std::vector<char> bytes(1 << 16);
            size_t size = 77;
            run.call([&](auto** error) {
              return cucore_objectcode_serialize(world.code.get(), &options, bytes.data(),
                                                 bytes.size(), &size, error);
            });
            run.output("size", size);
          }};
}

Scenario deserializes(cucore_toggle compression) {
  return {"cucore_objectcode_deserialize", [=](Run& run, World& world) {
            const std::vector<char> bytes = serialized(world.code.get(), compression);
            makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
              return cucore_objectcode_deserialize(bytes.data(), bytes.size(), nullptr, out, error);
            });
          }};
}

Scenario finds_kernel(Code (*make)()) {
  return {"cucore_objectcode_find_kernel", [=](Run& run, World&) {
            const Code code = make();
            cucore_kernel* kernel = Run::garbage<cucore_kernel>();
            run.call([&](auto** error) {
              return cucore_objectcode_find_kernel(code.get(), "saxpy", &kernel, error);
            });
            run.output("out", kernel);
            // The current context chooses the device to load on; that choice has a default.
            if (run.failed_call() == "cuCtxGetDevice") run.tolerate();
            if (run.ok()) {
              EXPECT_EQ(cucore_kernel_parameter_count(kernel), 4u);
            }
            if (run.ok()) cucore_kernel_release(kernel);
          }};
}

void find_global(Run& run, World& world) {
  const Code code = make_ptx();
  uint64_t address = 77;
  size_t size = 77;
  run.call([&](auto** error) {
    return cucore_objectcode_find_global(code.get(), "counter", world.device.get(), &address, &size,
                                         error);
  });
  run.output("address", address);
  run.output("size", size);
}

void symbol_at(Run& run, World& world) {
  cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
  info.size = 77;
  run.call(
      [&](auto** error) { return cucore_objectcode_symbol_at(world.code.get(), 0, &info, error); });
  run.output("lowered_name", info.lowered_name);
  if (run.ok()) {
    EXPECT_STREQ(info.lowered_name, "saxpy");
  }
}

void symbol_parameter_at(Run& run, World& world) {
  size_t offset = 77, size = 77;
  run.call([&](auto** error) {
    return cucore_objectcode_symbol_parameter_at(world.code.get(), 0, 2, &offset, &size, error);
  });
  run.output("offset", offset);
  run.output("size", size);
  if (run.ok()) {
    EXPECT_EQ(offset, 8u);
  }
}

void symbol_parameters(Run& run, World& world) {
  cucore_parameter_info infos[4] = {CUCORE_PARAMETER_INFO_INIT};
  infos[2].size = 77;
  size_t count = 77;
  run.call([&](auto** error) {
    return cucore_objectcode_symbol_parameters(world.code.get(), 0, infos, 4, &count, error);
  });
  run.output("count", count);
  run.output("size", infos[2].size);
  if (run.ok()) {
    EXPECT_EQ(infos[2].offset, 8u);
  }
}

template <class Text>
Scenario text_of_code(const char* function, Text text) {
  return {function, [=](Run& run, World& world) {
            EXPECT_NE(run.plain([&] { return text(world.code.get()); }), nullptr);
          }};
}

}  // namespace

std::vector<Scenario> objectcode_scenarios() {
  return {
      {"cucore_objectcode_create", create_objectcode},
      {"cucore_objectcode_from_file",
       [](Run& run, World&) {
         const char* path = ptx_file().c_str();
         makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
           return cucore_objectcode_from_file(CUCORE_CODE_TYPE_PTX, path, nullptr, out, error);
         });
       }},
      {"cucore_objectcode_retain",
       [](Run& run, World& world) {
         retains(run, world.code.get(), cucore_objectcode_retain, cucore_objectcode_release);
       }},
      {"cucore_objectcode_release",
       [](Run& run, World& world) {
         Code code = make_ptx();
         cucore_objectcode_load(code.get(), world.device.get(), nullptr);
         run.plain([&] { cucore_objectcode_release(code.release()); });
       }},
      {"cucore_objectcode_type",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_objectcode_type(world.code.get()); }),
                   CUCORE_CODE_TYPE_PTX);
       }},
      {"cucore_objectcode_data",
       [](Run& run, World& world) {
         size_t size = 0;
         const void* data =
             run.plain([&] { return cucore_objectcode_data(world.code.get(), &size); });
         ASSERT_EQ(size, PTX.size());
         EXPECT_EQ(std::memcmp(data, PTX.data(), size), 0);
       }},
      text_of_code("cucore_objectcode_name", cucore_objectcode_name),
      text_of_code("cucore_objectcode_arch", cucore_objectcode_arch),
      text_of_code("cucore_objectcode_log", cucore_objectcode_log),
      {"cucore_objectcode_symbol_count",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_objectcode_symbol_count(world.code.get()); }), 2u);
       }},
      {"cucore_objectcode_symbol_at", symbol_at},
      {"cucore_objectcode_symbol_parameter_at", symbol_parameter_at},
      {"cucore_objectcode_symbol_parameters", symbol_parameters},
      serializes(CUCORE_TOGGLE_OFF),
      serializes(CUCORE_TOGGLE_ON),
      deserializes(CUCORE_TOGGLE_OFF),
      deserializes(CUCORE_TOGGLE_ON),
      {"cucore_objectcode_load",
       [](Run& run, World& world) {
         const Code code = make_ptx();
         run.call([&](auto** error) {
           return cucore_objectcode_load(code.get(), world.device.get(), error);
         });
         EXPECT_EQ(cucore_objectcode_is_loaded(code.get()), run.ok());
       }},
      {"cucore_objectcode_is_loaded",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_objectcode_is_loaded(world.code.get()); }), 1);
       }},
      finds_kernel(make_ptx),
      finds_kernel(make_fatbin),
      {"cucore_objectcode_find_global", find_global},
      {"cucore_objectcode_native",
       [](Run& run, World&) {
         const Code code = make_ptx();
         const void* native = run.plain([&] { return cucore_objectcode_native(code.get()); });
         EXPECT_EQ(native != nullptr, cucore_objectcode_is_loaded(code.get()) != 0);
         if (!run.struck()) {
           EXPECT_NE(native, nullptr);
         }
       }},
  };
}

}  // namespace sweep
