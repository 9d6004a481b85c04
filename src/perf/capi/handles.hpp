// SPDX-License-Identifier: Apache-2.0
// The handle types of this library.
#pragma once

#include <cucore_perf.h>

#include "perf/analyze/analysis.hpp"
#include "perf/machine/roof.hpp"
#include "perf/measure/measurement.hpp"
#include "perf/profile/profiler.hpp"
#include "perf/report/finished_report.hpp"
#include "support/handles.hpp"

struct cucore_analysis : cucore::HandleHead {};
struct cucore_measurement : cucore::HandleHead {};
struct cucore_report : cucore::HandleHead {};
struct cucore_profiler : cucore::HandleHead {};
struct cucore_roof : cucore::HandleHead {};

namespace cucore {

template <>
struct HandleTraits<cucore_analysis> {
  using Object = perf::Analysis;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::PERF, 1);
  static constexpr const char* NAME = "cucore_analysis";
  static HandlePool pool;
};
template <>
struct HandleTraits<perf::Analysis> {
  using Handle = cucore_analysis;
};

template <>
struct HandleTraits<cucore_measurement> {
  using Object = perf::Measurement;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::PERF, 2);
  static constexpr const char* NAME = "cucore_measurement";
  static HandlePool pool;
};
template <>
struct HandleTraits<perf::Measurement> {
  using Handle = cucore_measurement;
};

template <>
struct HandleTraits<cucore_roof> {
  using Object = perf::Roof;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::PERF, 3);
  static constexpr const char* NAME = "cucore_roof";
  static HandlePool pool;
};
template <>
struct HandleTraits<perf::Roof> {
  using Handle = cucore_roof;
};

template <>
struct HandleTraits<cucore_report> {
  using Object = perf::FinishedReport;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::PERF, 4);
  static constexpr const char* NAME = "cucore_report";
  static HandlePool pool;
};
template <>
struct HandleTraits<perf::FinishedReport> {
  using Handle = cucore_report;
};

template <>
struct HandleTraits<cucore_profiler> {
  using Object = perf::Profiler;
  static constexpr HandleType TYPE = handle_type(HandleLibrary::PERF, 5);
  static constexpr const char* NAME = "cucore_profiler";
  static HandlePool pool;
};
template <>
struct HandleTraits<perf::Profiler> {
  using Handle = cucore_profiler;
};

}  // namespace cucore
