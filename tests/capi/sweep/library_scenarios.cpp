// SPDX-License-Identifier: Apache-2.0
// The library's own facts, errors, and the libraries that it opens.
#include "world.hpp"

namespace sweep {
namespace {

ErrorHandle an_error() {
  cucore_error* error = nullptr;
  cucore_objectcode* none = nullptr;
  cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, "nonsense", 8, nullptr, &none, &error);
  return ErrorHandle::adopt(error);
}

template <class Text>
Scenario text_of_error(const char* function, Text text, bool may_be_empty) {
  return {function, [=](Run& run, World&) {
            const ErrorHandle error = an_error();
            const char* said = run.plain([&] { return text(error.get()); });
            ASSERT_NE(said, nullptr);
            if (!may_be_empty) {
              EXPECT_STRNE(said, "");
            }
            EXPECT_STREQ(text(nullptr), "");
          }};
}

// A missing library is a result; a failure on the way to it may be reported as its reason.
void query(Run& run, cucore_library library) {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  info.available = 7;
  run.call([&](auto** error) { return cucore_library_query(library, &info, error); });
  run.output("available", info.available);
  if (!run.ok()) return;
  ASSERT_NE(info.path, nullptr);
  ASSERT_NE(info.reason, nullptr);
  EXPECT_EQ(info.available, *info.path != '\0');
  EXPECT_EQ(info.available, *info.reason == '\0');
  run.tolerate();
}

void set_log(Run& run) {
  int destroyed = 0;
  const auto destroy = [](void* count) { ++*static_cast<int*>(count); };
  const auto listen = [](cucore_log_level, const char*, void*) {};
  run.call([&](auto** error) {
    return cucore_log_set_callback(listen, CUCORE_LOG_ERROR, &destroyed, destroy, error);
  });
  EXPECT_EQ(destroyed, run.ok() ? 0 : 1) << "destroy runs once, also if the call fails";
  cucore_log_set_callback(nullptr, CUCORE_LOG_ERROR, nullptr, nullptr, nullptr);
  EXPECT_EQ(destroyed, 1);
}

// An error always exists: this one, or the one that needs no memory.
void create_error(Run& run) {
  const ErrorHandle cause = an_error();
  cucore_error_options options = CUCORE_ERROR_OPTIONS_INIT;
  options.origin = "the sweep";
  options.log = "a log that is too long for any string to keep inside itself";
  options.cause = cause.get();
  const ErrorHandle error = ErrorHandle::adopt(run.plain(
      [&] { return cucore_error_create(CUCORE_ERROR_SHAPE, "what was attempted", &options); }));
  ASSERT_NE(error.get(), nullptr);
  const cucore_status status = cucore_error_status(error.get());
  EXPECT_TRUE(status == CUCORE_ERROR_SHAPE ||
              (run.struck() && status == CUCORE_ERROR_OUT_OF_MEMORY))
      << cucore_status_name(status);
  EXPECT_STRNE(cucore_error_message(error.get()), "");
}

// A message may be lost if memory is exhausted; nothing else may happen.
void write_log(Run& run) {
  int received = 0;
  const auto listen = [](cucore_log_level, const char*, void* count) {
    ++*static_cast<int*>(count);
  };
  cucore_log_set_callback(listen, CUCORE_LOG_INFO, &received, nullptr, nullptr);
  run.plain([] {
    cucore_log_write(CUCORE_LOG_INFO,
                     "a message that is too long for a string to keep inside itself");
  });
  cucore_log_set_callback(nullptr, CUCORE_LOG_ERROR, nullptr, nullptr, nullptr);
  EXPECT_EQ(received, run.struck() ? 0 : 1);
}

Scenario symbol(cucore_library library, const char* name) {
  return {
      "cucore_library_symbol", [=](Run& run, World&) {
        void* found = Run::garbage<void>();
        run.call([&](auto** error) { return cucore_library_symbol(library, name, &found, error); });
        run.output("out", found);
        if (!run.ok()) return;
        EXPECT_NE(found, nullptr);
        run.tolerate();  // if the loader failed once, another path had the function
      }};
}

}  // namespace

std::vector<Scenario> first_scenarios() {
  return {
      {"cucore_driver_select",
       [](Run& run, World&) {
         const std::string path = fake::path("fake_driver");
         run.call([&](auto** error) { return cucore_driver_select(path.c_str(), error); });
       }},
      {"cucore_library_set_path",
       [](Run& run, World&) {
         run.call([&](auto** error) {
           return cucore_library_set_path(CUCORE_LIBRARY_NVRTC, "/a/path/that/need/not/exist",
                                          error);
         });
       }},
      {"cucore_library_query", [](Run& run, World&) { query(run, CUCORE_LIBRARY_DRIVER); }},
      {"cucore_library_query", [](Run& run, World&) { query(run, CUCORE_LIBRARY_NVRTC); }},
      symbol(CUCORE_LIBRARY_CUBLAS, "fake_plain_answer"),
      {"cucore_device_count",
       [](Run& run, World&) {
         int32_t count = 77;
         run.call([&](auto** error) { return cucore_device_count(&count, error); });
         run.output("out", count);
         // a driver could not be opened
         if (run.ok() && run.struck() && count == 0) run.tolerate();
         if (run.ok() && !run.struck()) {
           EXPECT_EQ(count, 3);
         }
       }},
      {"cucore_device_open",
       [](Run& run, World&) {
         makes<cucore_device>(run, cucore_device_release, [](auto** out, auto** error) {
           return cucore_device_open(0, out, error);
         });
       }},
  };
}

std::vector<Scenario> library_scenarios() {
  return {
      {"cucore_version",
       [](Run& run, World&) {
         EXPECT_EQ(run.plain([] { return cucore_version(); }), uint32_t{CUCORE_VERSION});
       }},
      {"cucore_version_string",
       [](Run& run, World&) {
         EXPECT_STRNE(run.plain([] { return cucore_version_string(); }), "");
       }},
      {"cucore_status_name",
       [](Run& run, World&) {
         EXPECT_STREQ(run.plain([] { return cucore_status_name(CUCORE_ERROR_LAUNCH); }),
                      "CUCORE_ERROR_LAUNCH");
       }},
      {"cucore_error_retain",
       [](Run& run, World&) {
         const ErrorHandle error = an_error();
         retains(run, error.get(), cucore_error_retain, cucore_error_release);
       }},
      {"cucore_error_release",
       [](Run& run, World&) {
         ErrorHandle error = an_error();
         run.plain([&] { cucore_error_release(error.release()); });
       }},
      {"cucore_error_status",
       [](Run& run, World&) {
         const ErrorHandle error = an_error();
         EXPECT_EQ(run.plain([&] { return cucore_error_status(error.get()); }),
                   CUCORE_ERROR_INVALID_CODE);
       }},
      {"cucore_error_native_code",
       [](Run& run, World&) {
         const ErrorHandle error = an_error();
         EXPECT_EQ(run.plain([&] { return cucore_error_native_code(error.get()); }), 0);
       }},
      text_of_error("cucore_error_message", cucore_error_message, false),
      text_of_error("cucore_error_origin", cucore_error_origin, false),
      text_of_error("cucore_error_native_name", cucore_error_native_name, true),
      text_of_error("cucore_error_log", cucore_error_log, true),
      {"cucore_error_create", [](Run& run, World&) { create_error(run); }},
      {"cucore_log_set_callback", [](Run& run, World&) { set_log(run); }},
      {"cucore_log_write", [](Run& run, World&) { write_log(run); }},
      {"cucore_log_enabled",
       [](Run& run, World&) {
         EXPECT_EQ(run.plain([] { return cucore_log_enabled(CUCORE_LOG_ERROR); }), 0);
       }},
      symbol(CUCORE_LIBRARY_DRIVER, "cuDriverGetVersion"),
      symbol(CUCORE_LIBRARY_DRIVER, "cuMemAlloc"),
      symbol(CUCORE_LIBRARY_NVRTC, "nvrtcVersion"),
      symbol(CUCORE_LIBRARY_NVJITLINK, "nvJitLinkCreate"),
      symbol(CUCORE_LIBRARY_CUBLAS, "fake_plain_answer"),
      {"cucore_driver_select",
       [](Run& run, World&) {
         run.expect(CUCORE_ERROR_INVALID_STATE);
         run.call([](auto** error) { return cucore_driver_select("cpu", error); });
       }},
      {"cucore_library_set_path",
       [](Run& run, World&) {
         run.expect(CUCORE_ERROR_INVALID_STATE);
         run.call([](auto** error) {
           return cucore_library_set_path(CUCORE_LIBRARY_NVRTC, "/a/path", error);
         });
       }},
  };
}

}  // namespace sweep
