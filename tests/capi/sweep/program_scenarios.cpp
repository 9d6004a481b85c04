// SPDX-License-Identifier: Apache-2.0
// Programs.
#include "world.hpp"

namespace sweep {
namespace {

void create_program(Run& run, World&) {
  const char* macros[] = {"A=1", "B"};
  const char* names[] = {"factor.h"};
  const char* sources[] = {"#define FACTOR 2\n"};
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  options.name = "a program whose name is longer than any small string";
  options.arch = "sm_90";
  options.define_macros = macros;
  options.define_macro_count = 2;
  options.header_names = names;
  options.header_sources = sources;
  options.header_count = 1;
  makes<cucore_program>(run, cucore_program_release, [&](auto** out, auto** error) {
    return cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, SOURCE.data(), SOURCE.size(),
                                 &options, out, error);
  });
}

Scenario compiles(cucore_code_type target) {
  return {"cucore_program_compile", [=](Run& run, World& world) {
            const char* expressions[] = {"scale<float>", "scale<double>"};
            makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
              return cucore_program_compile(world.program.get(), target, expressions, 2, out,
                                            error);
            });
            // If a log cannot be read, the compile still succeeds.
            const std::string& call = run.failed_call();
            if (call == "nvrtcGetProgramLogSize" || call == "nvrtcGetProgramLog") run.tolerate();
          }};
}

}  // namespace

std::vector<Scenario> program_scenarios() {
  return {
      {"cucore_program_create", create_program},
      {"cucore_program_retain",
       [](Run& run, World& world) {
         retains(run, world.program.get(), cucore_program_retain, cucore_program_release);
       }},
      {"cucore_program_release",
       [](Run& run, World&) {
         Program program = make_program();
         run.plain([&] { cucore_program_release(program.release()); });
       }},
      {"cucore_program_backend",
       [](Run& run, World& world) {
         EXPECT_EQ(run.plain([&] { return cucore_program_backend(world.program.get()); }),
                   int32_t{CUCORE_BACKEND_NVRTC});
       }},
      compiles(CUCORE_CODE_TYPE_PTX),
      compiles(CUCORE_CODE_TYPE_CUBIN),
      compiles(CUCORE_CODE_TYPE_LTOIR),
  };
}

}  // namespace sweep
