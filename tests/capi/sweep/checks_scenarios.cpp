// SPDX-License-Identifier: Apache-2.0
// Checks of kernels.
#include "world.hpp"

namespace sweep {
namespace {

void create_checks(Run& run, World&) {
  makes<cucore_checks>(run, cucore_checks_release, [&](auto** out, auto** error) {
    return cucore_checks_create(nullptr, out, error);
  });
}

void query_checks(Run& run, World&) {
  const Checks checks = make_checks();
  size_t count = 77;
  run.call([&](auto** error) { return cucore_checks_query(checks.get(), &count, error); });
  run.output("report_count", count);
  if (run.ok()) {
    EXPECT_EQ(count, 1u);
  }
}

void end_checks(Run& run, World&) {
  const Checks checks = make_checks();
  run.call([&](auto** error) { return cucore_checks_end(checks.get(), error); });
  // A failure loses no report.
  EXPECT_EQ(cucore_checks_end(checks.get(), nullptr), CUCORE_OK);
  EXPECT_EQ(cucore_checks_report_count(checks.get()), 1u);
}

// The fake driver has one report.
void verify_checks(Run& run, World&) {
  const Checks checks = make_checks("leak");
  run.call([&](auto** error) { return cucore_checks_verify(checks.get(), error); });
}

Checks make_read_checks() {
  Checks checks = make_checks();
  checks.end();
  return checks;
}

void read_report(Run& run, World&) {
  const Checks checks = make_read_checks();
  cucore_checks_report_info info = CUCORE_CHECKS_REPORT_INFO_INIT;
  run.call([&](auto** error) { return cucore_checks_report_at(checks.get(), 0, &info, error); });
}

void count_calls(Run& run, World&) {
  const Checks checks = make_read_checks();
  uint64_t count = 77;
  run.call([&](auto** error) {
    return cucore_checks_call_count(checks.get(), "cuMemAlloc", &count, error);
  });
  run.output("out", count);
}

template <class Function>
Scenario checks_property(const char* name, Function function) {
  return {name, [function](Run& run, World&) {
            const Checks checks = make_read_checks();
            run.plain([&] { return function(checks.get()); });
          }};
}

}  // namespace

std::vector<Scenario> checks_scenarios() {
  return {
      {"cucore_checks_create", create_checks},
      {"cucore_checks_retain",
       [](Run& run, World&) {
         const Checks checks = make_read_checks();
         retains(run, checks.get(), cucore_checks_retain, cucore_checks_release);
       }},
      {"cucore_checks_release",
       [](Run& run, World&) {
         Checks checks = make_checks();
         run.plain([&] { cucore_checks_release(checks.release()); });
         make_checks();  // the release has ended the first ones
       }},
      {"cucore_checks_query", query_checks},
      {"cucore_checks_end", end_checks},
      {"cucore_checks_verify", verify_checks},
      {"cucore_checks_report_at", read_report},
      {"cucore_checks_call_count", count_calls},
      checks_property("cucore_checks_is_running", cucore_checks_is_running),
      checks_property("cucore_checks_report_count", cucore_checks_report_count),
      checks_property("cucore_checks_schedule", cucore_checks_schedule),
      checks_property("cucore_checks_text", cucore_checks_text),
      checks_property("cucore_checks_json", cucore_checks_json),
      checks_property("cucore_checks_fault_count", cucore_checks_fault_count),
  };
}

}  // namespace sweep
