// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/double_free.hpp"

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/driver/allocations.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {

void report_double_free(uint64_t address, const Allocation* a) {
  if (!(enabled_checks() & CHECK_MEMORY) || (a && !a->free_pending)) return;
  Report report;
  report.kind = ReportKind::DOUBLE_FREE;
  report.kernel = origin_of_thread().call;
  report.message = hex_text(address) + " was freed before";
  if (a) {
    report.message += ", by a call whose stream has not reached the free";
    report.allocation = a->base;
    report.allocation_size = a->size;
    report.allocated_by = a->origin.text();
  } else {
    const auto history = AddressSpace::instance().freed_at(address);
    if (!history) return;
    report.allocation = history->base;
    report.allocation_size = history->size;
    report.allocated_by = history->made.text();
    report.freed_by = history->ended.text();
  }
  Reports::instance().add(std::move(report));
}

}  // namespace cucore::cpu
