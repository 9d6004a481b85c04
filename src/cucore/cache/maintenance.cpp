// SPDX-License-Identifier: Apache-2.0
#include "cache/maintenance.hpp"

namespace cucore::cache {

Counters::Events Maintenance::all_events() {
  flush_statistics();
  return tiers_.disk().counters().events();
}

uint64_t Maintenance::trim(Evictor::Limits limits, const Report& report) {
  evictor_.require_outside_report();
  if (limits.bytes == 0 || limits.entries == 0) {
    tiers_.clear_memory();
    manifests_.clear();
  }
  const uint64_t evicted = evictor_.trim(limits, report);
  flush_statistics();
  return evicted;
}

uint64_t Maintenance::verify(const Report& report) {
  return verify_files(tiers_.disk(), statistics_, report);
}

void Maintenance::touch_used() {
  tiers_.touch_used();
  manifests_.touch_used();
}

}  // namespace cucore::cache
