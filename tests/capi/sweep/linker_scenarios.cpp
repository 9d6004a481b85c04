// SPDX-License-Identifier: Apache-2.0
// Linkers, bundles, and the facts reported about code and errors.
#include "world.hpp"

namespace sweep {

Linker make_linker() {
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  options.arch = "sm_90";
  cucore_linker* out = nullptr;
  if (cucore_linker_create(&options, &out, nullptr) != CUCORE_OK)
    throw std::runtime_error("linker");
  return Linker::adopt(out);
}

namespace {

void create(Run& run, World&) {
  const char* kernels[] = {"a kernel whose name is longer than any small string"};
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
  options.arch = "sm_90";
  options.name = "a linker whose name is longer than any small string";
  options.ftz = CUCORE_TOGGLE_ON;
  options.kernels_used = kernels;
  options.kernels_used_count = 1;
  makes<cucore_linker>(run, cucore_linker_release, [&](auto** out, auto** error) {
    return cucore_linker_create(&options, out, error);
  });
}

void link_inputs(Run& run, World& world) {
  const Linker linker = make_linker();
  cucore_linker_add(linker.get(), world.code.get(), nullptr);
  makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_linker_link(linker.get(), CUCORE_CODE_TYPE_CUBIN, out, error);
  });
}

// Makes an error with a log that has diagnostics: the driver refuses this PTX.
ErrorHandle make_refusal(World& world) {
  const std::string text = PTX + "// reject\n";
  cucore_objectcode* code = nullptr;
  cucore_objectcode_create(CUCORE_CODE_TYPE_PTX, text.data(), text.size(), nullptr, &code, nullptr);
  const Code owner = Code::adopt(code);
  cucore_error* error = nullptr;
  EXPECT_NE(cucore_objectcode_load(code, world.device.get(), &error), CUCORE_OK);
  return ErrorHandle::adopt(error);
}

void counts_of_errors(Run& run, World& world) {
  const ErrorHandle refusal = make_refusal(world);
  const size_t count = run.plain([&] { return cucore_error_diagnostic_count(refusal.get()); });
  // Without memory the list is empty.
  EXPECT_LE(count, 1u);
}

void diagnostics_of_errors(Run& run, World& world) {
  const ErrorHandle refusal = make_refusal(world);
  cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
  run.call(
      [&](auto** error) { return cucore_error_diagnostic_at(refusal.get(), 0, &info, error); });
  run.output("text", info.text);
}

void diagnostics_of_code(Run& run, World& world) {
  cucore_diagnostic_info info = CUCORE_DIAGNOSTIC_INFO_INIT;
  run.expect(CUCORE_ERROR_INVALID_ARGUMENT);
  run.call([&](auto** error) {
    return cucore_objectcode_diagnostic_at(world.code.get(), 0, &info, error);
  });
}

void resources(Run& run, World& world) {
  cucore_resource_info info = CUCORE_RESOURCE_INFO_INIT;
  run.expect(CUCORE_ERROR_UNSUPPORTED);
  run.call([&](auto** error) {
    return cucore_objectcode_symbol_resources(world.code.get(), 0, &info, error);
  });
}

void bundle(Run& run, World& world) {
  const Code second = make_second_ptx();
  const cucore_objectcode* images[] = {world.code.get(), second.get()};
  makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_objectcode_bundle(images, 2, out, error);
  });
}

void image_at(Run& run, World& world) {
  const Code second = make_second_ptx();
  const cucore_objectcode* images[] = {world.code.get(), second.get()};
  cucore_objectcode* made = nullptr;
  ASSERT_EQ(cucore_objectcode_bundle(images, 2, &made, nullptr), CUCORE_OK);
  const Code both = Code::adopt(made);
  makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_objectcode_image_at(both.get(), 1, out, error);
  });
}

template <class Call>
void tells(Run& run, Call&& call) {
  run.plain(call);
}

}  // namespace

std::vector<Scenario> linker_scenarios() {
  // Without nvJitLink the driver links, so a failure to open it does not fail the call. It is
  // opened first.
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  EXPECT_EQ(cucore_library_query(CUCORE_LIBRARY_NVJITLINK, &info, nullptr), CUCORE_OK);
  return {
      {"cucore_linker_create", create},
      {"cucore_linker_retain",
       [](Run& run, World&) {
         const Linker linker = make_linker();
         retains(run, linker.get(), cucore_linker_retain, cucore_linker_release);
       }},
      {"cucore_linker_release",
       [](Run& run, World&) {
         Linker linker = make_linker();
         run.plain([&] { cucore_linker_release(linker.release()); });
       }},
      {"cucore_linker_add",
       [](Run& run, World& world) {
         const Linker linker = make_linker();
         run.call([&](auto** error) {
           return cucore_linker_add(linker.get(), world.code.get(), error);
         });
       }},
      {"cucore_linker_link", link_inputs},
      {"cucore_linker_backend",
       [](Run& run, World&) {
         const Linker linker = make_linker();
         const int32_t backend = run.plain([&] { return cucore_linker_backend(linker.get()); });
         EXPECT_TRUE(backend == CUCORE_BACKEND_NVJITLINK || backend == 0) << backend;
       }},
      {"cucore_linker_log",
       [](Run& run, World&) {
         const Linker linker = make_linker();
         EXPECT_STREQ(run.plain([&] { return cucore_linker_log(linker.get()); }), "");
       }},
      {"cucore_error_diagnostic_count", counts_of_errors},
      {"cucore_error_diagnostic_at", diagnostics_of_errors},
      {"cucore_objectcode_diagnostic_count",
       [](Run& run, World& world) {
         tells(run, [&] { return cucore_objectcode_diagnostic_count(world.code.get()); });
       }},
      {"cucore_objectcode_diagnostic_at", diagnostics_of_code},
      {"cucore_objectcode_metadata_count",
       [](Run& run, World& world) {
         tells(run, [&] { return cucore_objectcode_metadata_count(world.code.get()); });
       }},
      {"cucore_objectcode_metadata_key",
       [](Run& run, World& world) {
         tells(run, [&] { return cucore_objectcode_metadata_key(world.code.get(), 0); });
       }},
      {"cucore_objectcode_metadata_value",
       [](Run& run, World& world) {
         tells(run, [&] { return cucore_objectcode_metadata_value(world.code.get(), 0); });
       }},
      {"cucore_objectcode_signature",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_objectcode_signature(world.code.get()); }),
                   int32_t{CUCORE_SIGNATURE_UNSIGNED});
       }},
      {"cucore_objectcode_signature_key",
       [](Run& run, World& world) {
         EXPECT_STREQ(run.plain([&] { return cucore_objectcode_signature_key(world.code.get()); }),
                      "");
       }},
      {"cucore_objectcode_symbol_resources", resources},
      {"cucore_objectcode_bundle", bundle},
      {"cucore_objectcode_image_count",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_objectcode_image_count(world.code.get()); }), 1u);
       }},
      {"cucore_objectcode_image_at", image_at},
  };
}

}  // namespace sweep
