// SPDX-License-Identifier: Apache-2.0
// The names of enumerators in reports.
#include "perf/measure/measurement.hpp"

namespace cucore::perf {

const char* criterion_name(CriterionKind kind) {
  switch (kind) {
    case CriterionKind::INTERVAL:
      return "ci";
    case CriterionKind::DEVIATION:
      return "stdrel";
    case CriterionKind::ENTROPY:
      return "entropy";
    case CriterionKind::COUNT:
      break;
  }
  return "count";
}

const char* clock_name(ClockKind kind) {
  if (kind == ClockKind::ACTIVITY) return "activity";
  return kind == ClockKind::HOST ? "host" : "events";
}

const char* stop_name(StopReason reason) {
  switch (reason) {
    case StopReason::MAX_SAMPLES:
      return "max_samples";
    case StopReason::MAX_TIME:
      return "max_time";
    default:
      return "criterion";
  }
}

const char* operation_type_name(OperationType type) {
  switch (type) {
    case OperationType::F16:
      return "f16";
    case OperationType::F32:
      return "f32";
    case OperationType::F64:
      return "f64";
    case OperationType::INTEGER:
      return "integer";
    case OperationType::MATRIX:
      return "matrix";
    case OperationType::NONE:
      break;
  }
  return "none";
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::FASTER:
      return "faster";
    case Verdict::SLOWER:
      return "slower";
    default:
      return "no_difference";
  }
}

}  // namespace cucore::perf
