// SPDX-License-Identifier: Apache-2.0
// Races of the program's own accesses.
#include "cpu/checks/host_work.hpp"

#include <dlfcn.h>

#include <array>
#include <mutex>
#include <string>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/checks/check_set.hpp"
#include "cpu/checks/joined_reads.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/checks/shadow.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

// The kernels that have communicated last. One that a later one replaces has usually ended.
struct Talkers {
  static constexpr size_t KEPT = 64;
  std::mutex mutex;
  std::array<std::weak_ptr<const StreamWork>, KEPT> works;
  size_t count = 0;
};
Talkers& talkers() {
  static Talkers* const all = new Talkers;  // never destroyed
  return *all;
}

// Returns "program+0x1a2c", as debuggers and addr2line accept it.
std::string code_name(uint64_t instruction) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(instruction), &info) == 0 || !info.dli_fname)
    return hex_text(instruction);
  const std::string path = info.dli_fname;
  const auto base = reinterpret_cast<uint64_t>(info.dli_fbase);
  return path.substr(path.rfind('/') + 1) + "+" + hex_text(instruction - base);
}

class HostCheck {
 public:
  HostCheck(const HostWork& host, const HostAccess& access) : host_(host), access_(access) {}
  void run();

 private:
  bool check(uint32_t record, uint16_t site, bool wrote) const;
  bool check_order(const StreamWork& other, uint16_t site, bool wrote) const;
  void report(const StreamWork& other, uint16_t site, bool wrote) const;

  const HostWork& host_;
  const HostAccess& access_;
};

void HostCheck::report(const StreamWork& other, uint16_t site, bool wrote) const {
  constexpr size_t PREFIX = sizeof("kernel '") - 1;
  Report report;
  report.kind = ReportKind::HOST_RACE;
  report.is_kernel = other.is_kernel;
  report.kernel =
      other.is_kernel ? other.name.substr(PREFIX, other.name.size() - PREFIX - 1) : other.name;
  report.message = (wrote ? "wrote memory at " : "read memory at ") + hex_text(access_.address);
  if (other.places && site < other.places->size()) report.place = (*other.places)[site];
  report.space = "global";
  report.address = access_.address;
  report.other = (access_.is_write ? "the host wrote it at " : "the host read it at ") +
                 code_name(access_.instruction);
  report.missing = UNORDERED_HOST;
  report.add_allocation();
  report.schedule = schedule_suffix();
  Reports::instance().add(std::move(report));
}

// Both functions return false after a report.
bool HostCheck::check_order(const StreamWork& other, uint16_t site, bool wrote) const {
  if (other.is_host || host_.work->after(other)) return true;
  if (!is_host_order_known(*host_.work, other)) return true;
  report(other, site, wrote);
  return false;
}

bool HostCheck::check(uint32_t record, uint16_t site, bool wrote) const {
  const uint32_t id = record >> SEGMENT_SHIFT;
  if (id < host_.work->floor || id == host_.id || (record & CELL_STRONG)) return true;
  Segment segment;
  if (!Segments::instance().find(id, segment)) return true;
  const auto other = Segments::instance().operation(segment.operation);
  if (!other) return true;
  if (!check_order(*other, site, wrote)) return false;
  for (const OtherRead& read : other->joined.others(id))
    if (const auto reader = Segments::instance().operation(read.operation))
      if (!read.is_strong && !check_order(*reader, read.site, false)) return false;
  return true;
}

void HostCheck::run() {
  Range range;
  Shadow* const shadow = AddressSpace::instance().shadow(access_.address, range);
  const Cells* const cells = shadow ? shadow->cells(4) : nullptr;
  if (!cells) return;
  const uint64_t k = (access_.address - range.base) >> cells->shift;
  divide_lines(*cells, k, 1);
  const bool good = check(cells->writer[k], cells->writer_site[k], true);
  if (good && access_.is_write) check(cells->reader[k], cells->reader_site[k], false);
  RecordEnds::note(access_.is_write ? cells->ends->writer : cells->ends->reader,
                   (host_.id + 1) << SEGMENT_SHIFT);
  (access_.is_write ? cells->writer : cells->reader)[k] =
      host_.id << SEGMENT_SHIFT | CELL_STRONG | SEVERAL_LANES;
  record_site(*cells, access_.is_write, k, 0);
}

}  // namespace

HostWork begin_host_work(std::shared_ptr<const StreamClock> before, uint32_t position) {
  HostWork host;
  host.work = std::make_shared<StreamWork>();
  host.work->name = "the host";
  host.work->is_host = true;
  host.work->stream = HOST_STREAM;
  host.work->position = position;
  host.work->before = std::move(before);
  Segments& segments = Segments::instance();
  segments.begin(host.work);
  host.id = segments.take_chunk();
  if (host.id) segments.name(host.id, host.work->number, NO_BLOCK, NO_WARP);
  segments.end(*host.work);
  return host;
}

void check_host_access(const HostWork& host, const HostAccess& access) {
  if (host.id) HostCheck(host, access).run();
}

void note_communication(const std::shared_ptr<StreamWork>& work) {
  if (work->may_follow_host.load(std::memory_order_relaxed)) return;
  Talkers& all = talkers();
  std::lock_guard lock(all.mutex);
  if (work->may_follow_host.exchange(true)) return;
  all.works[all.count++ % Talkers::KEPT] = work;
}

bool is_host_order_known(const StreamWork& host, const StreamWork& work) {
  if (work.may_follow_host.load()) return false;
  Talkers& all = talkers();
  std::lock_guard lock(all.mutex);
  for (const auto& talker : all.works)
    if (const auto one = talker.lock(); one && !host.after(*one)) return false;
  return true;
}

}  // namespace cucore::cpu
