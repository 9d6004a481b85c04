// SPDX-License-Identifier: Apache-2.0
// Observers, and operations that are observed.
#include "world.hpp"

namespace sweep {
namespace {

void create_observer(Run& run, World&) {
  const cucore_observer_options options = observes_all();
  makes<cucore_observer>(run, cucore_observer_release, [&](auto** out, auto** error) {
    return cucore_observer_create(&options, out, error);
  });
}

// A failure in the description of an operation does not fail the operation.
template <class Call>
void run_observed(Run& run, Call&& call) {
  const Observer observer = make_observer();
  run.call(call);
  run.tolerate();
}

void launch_observed(Run& run, World& world) {
  run_observed(
      run, [&](auto** error) { return cucore_prepared_launch_run(world.prepared.get(), error); });
}

void fill_observed(Run& run, World& world) {
  const uint32_t value = 1;
  run_observed(run, [&](auto** error) {
    return cucore_buffer_fill(world.buffer.get(), 0, 4, &value, 4, world.stream.get(), error);
  });
}

void allocate_observed(Run& run, World& world) {
  const Observer observer = make_observer();
  makes<cucore_buffer>(run, cucore_buffer_release, [&](auto** out, auto** error) {
    return cucore_buffer_create(world.device.get(), 64, world.stream.get(), out, error);
  });
  run.tolerate();
}

void compile_observed(Run& run, World& world) {
  const Observer observer = make_observer();
  makes<cucore_objectcode>(run, cucore_objectcode_release, [&](auto** out, auto** error) {
    return cucore_program_compile(world.program.get(), CUCORE_CODE_TYPE_PTX, nullptr, 0, out,
                                  error);
  });
  run.tolerate();
}

}  // namespace

std::vector<Scenario> observer_scenarios() {
  return {
      {"cucore_observer_create", create_observer},
      {"cucore_observer_retain",
       [](Run& run, World&) {
         const Observer observer = make_observer();
         retains(run, observer.get(), cucore_observer_retain, cucore_observer_release);
       }},
      {"cucore_observer_release",
       [](Run& run, World&) {
         Observer observer = make_observer();
         run.plain([&] { cucore_observer_release(observer.release()); });
       }},
      {"cucore_prepared_launch_run", launch_observed},
      {"cucore_buffer_fill", fill_observed},
      {"cucore_buffer_create", allocate_observed},
      {"cucore_program_compile", compile_observed},
  };
}

}  // namespace sweep
