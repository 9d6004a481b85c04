// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include "perf/report/profile_findings.hpp"
#include "perf/report/profile_rules.hpp"

namespace samples {

using namespace cucore::perf;

namespace {

void complete(ReportData& data) {
  complete_report(data);
  add_profile_findings(data);
}

void set_time(KernelRow& row, uint64_t calls, double mean) {
  row.calls = calls;
  row.timed = std::min<uint64_t>(calls, 64);
  row.seconds.mean = mean;
  row.seconds.min = mean * 0.98;
  row.seconds.max = mean * 1.05;
  row.seconds.total = mean * static_cast<double>(calls);
  row.seconds.low = row.seconds.total * 0.99;
  row.seconds.high = row.seconds.total * 1.01;
}

// Bytes and operations of one call.
void set_amounts(KernelRow& row, double read, double written, double f32) {
  const auto calls = static_cast<double>(row.calls);
  row.bytes.read = read * calls;
  row.bytes.written = written * calls;
  row.bytes.requested = (read + written) * calls;
  row.bytes.sector = row.bytes.requested;
  row.bytes.compulsory = row.bytes.requested;
  row.bytes.source = AmountSource::MODEL;
  row.operations.f32 = f32 * calls;
  row.operations.total = row.operations.f32;
  row.operations.source = AmountSource::MODEL;
}

void set_geometry(KernelRow& row, uint32_t x, uint32_t y, uint32_t threads_x, uint32_t threads_y) {
  row.geometry.grid[0] = x;
  row.geometry.grid[1] = y;
  row.geometry.grid[2] = 1;
  row.geometry.block[0] = threads_x;
  row.geometry.block[1] = threads_y;
  row.geometry.block[2] = 1;
}

OperationRow operation(const char* kind, uint64_t calls, uint64_t bytes, double seconds) {
  OperationRow row;
  row.kind = kind;
  row.calls = calls;
  row.bytes = bytes;
  row.timed = calls;
  row.seconds = seconds;
  row.host_seconds = 2e-6 * static_cast<double>(calls);
  return row;
}

ReportRange range(const char* name, size_t parent, uint64_t calls, double seconds) {
  ReportRange made;
  made.name = name;
  made.parent = parent;
  made.calls = calls;
  made.seconds = seconds;
  return made;
}

TimelineRecord record(RecordKind kind, const char* name, double start, double duration,
                      uint64_t stream, size_t row) {
  TimelineRecord made;
  made.kind = kind;
  made.name = name;
  made.start = start;
  made.duration = duration;
  made.stream = stream;
  made.row = row;
  return made;
}

void add_rows_of_training(ReportData& data) {
  KernelRow transpose = kernel("_Z9transposeIfEvPKT_PS0_i", 812e-6);
  set_geometry(transpose, 256, 256, 32, 8);
  set_time(transpose, 1000, 812e-6);
  set_amounts(transpose, 268435456, 268435456, 0);
  transpose.bytes.sector = transpose.bytes.requested * 4.5;
  transpose.sectors_per_request = 18;
  transpose.operations = {};
  transpose.operations.integer = 4.2e8 * 1000;
  transpose.operations.total = transpose.operations.integer;
  transpose.occupancy = 1;
  transpose.occupancy_limiter = "warps";
  KernelRow saxpy = kernel("saxpy", 250e-6);
  set_geometry(saxpy, 65536, 1, 256, 1);
  set_time(saxpy, 1000, 250e-6);
  set_amounts(saxpy, 536870912, 268435456, 134217728);
  KernelRow tiny = kernel("_ZN12_GLOBAL__N_14biasEPfS0_", 2.1e-6);
  set_geometry(tiny, 8, 1, 128, 1);
  set_time(tiny, 20000, 2.1e-6);
  set_amounts(tiny, 4096, 4096, 1024);
  KernelRow small = kernel("softmax_rows", 38e-6);
  set_geometry(small, 12, 1, 1024, 1);
  set_time(small, 500, 38e-6);
  set_amounts(small, 1048576, 1048576, 8388608);
  small.resources.spill_loads = 24;
  small.resources.spill_stores = 16;
  small.note = "the times of activity and events differ by 3 %; this is the time of events";
  data.kernels = {transpose, saxpy, tiny, small};
}

void add_records_of_training(ReportData& data) {
  data.records.push_back(record(RecordKind::RANGE, "step", 0, 2e-3, 1, 1));
  data.records.push_back(record(RecordKind::RANGE, "forward", 1e-4, 1.3e-3, 1, 2));
  data.records.push_back(record(RecordKind::OPERATION, "write", 1e-4, 2e-4, 7, 0));
  data.records.back().bytes = 16777216;
  data.records.push_back(
      record(RecordKind::KERNEL, "_Z9transposeIfEvPKT_PS0_i", 3e-4, 812e-6, 7, 0));
  data.records.push_back(record(RecordKind::KERNEL, "saxpy", 4e-4, 250e-6, 8, 1));
  for (int i = 0; i < 20; ++i)
    data.records.push_back(record(RecordKind::KERNEL, "_ZN12_GLOBAL__N_14biasEPfS0_",
                                  1.2e-3 + i * 3e-6, 2.1e-6, 7, 2));
  data.records.push_back(record(RecordKind::KERNEL, "softmax_rows", 1.35e-3, 38e-6, 8, 3));
}

}  // namespace

ReportData h200() {
  ReportData data;
  data.name = "training";
  data.machine.device = "NVIDIA H200";
  data.machine.arch = "sm_90";
  data.machine.uuid = "6a3e0c52-5a7f-4f0e-9d4e-0b7d8a6c1e2f";
  data.machine.driver = "13.0";
  data.machine.library = "0.2.0";
  data.machine.date = "2026-11-26T09:00:00Z";
  data.machine.clock_limit_mhz = 1980;
  data.machine.multiprocessors = 132;
  data.machine.memory_size = uint64_t{141} << 30;
  data.machine.l2_cache_size = 60 << 20;
  data.roof.copy = 4.0e12;
  data.roof.read = 4.4e12;
  data.roof.write = 3.6e12;
  data.roof.l2 = 9e12;
  data.roof.f16 = 1.2e14;
  data.roof.f32 = 6.0e13;
  data.roof.f64 = 3.0e13;
  data.roof.integer = 3.0e13;
  data.roof.matrix = 7.0e14;
  data.roof.launch = 1.9e-6;
  data.roof.event_offset = 1.3e-6;
  data.seconds = 1.4;
  data.overhead = {0.02, 0.013};
  data.ranges.push_back(range("", NO_INDEX, 1, data.seconds));
  return data;
}

KernelRow kernel(const char* name, double mean) {
  KernelRow row;
  row.name = name;
  row.digest = "0123456789abcdef";
  row.resources.registers = 32;
  row.resources.shared = 4096;
  row.resources.parameters = 24;
  row.occupancy = 0.75;
  row.occupancy_limiter = "registers";
  set_geometry(row, 1024, 1, 256, 1);
  set_time(row, 10, mean);
  return row;
}

ReportData slow_transpose() {
  ReportData data = h200();
  add_rows_of_training(data);
  data.ranges[0].kernel_seconds = 1.12;
  data.ranges.push_back(range("step", 0, 500, 1.38));
  data.ranges.push_back(range("forward", 1, 500, 0.9));
  set_efficiency(data.ranges[1], data.kernels, {});
  add_records_of_training(data);
  data.operations = {operation("write", 500, uint64_t{500} << 24, 0.15),
                     operation("allocate", 12, uint64_t{12} << 24, UNKNOWN)};
  data.missing.push_back({"counters",
                          "the driver restricts them (NVreg_RestrictProfilingToAdminUsers=1)",
                          "Run as root, or let the administrator lift the restriction."});
  complete(data);
  const RowTime both[] = {{0, data.kernels[0].seconds.total}, {1, data.kernels[1].seconds.total}};
  for (size_t i = 1; i < data.ranges.size(); ++i) {
    set_efficiency(data.ranges[i], data.kernels, both);
    data.ranges[i].kernel_seconds = both[0].seconds + both[1].seconds;
  }
  return data;
}

ReportData emulated() {
  ReportData data = h200();
  data.machine.device = "cucore CPU reference device";
  data.machine.is_emulated = true;
  data.roof = {};
  data.source = ProfileSource::EMULATED;
  KernelRow tile = kernel("transpose_tile", 20e-3);
  tile.bytes.requested = 8e6;
  tile.bytes.sector = 8e6;
  tile.bytes.compulsory = 8e6;
  tile.sectors_per_request = 4;
  tile.counters = {{"cpu.instructions", 1e6},
                   {"cpu.divergent_branches", 100},
                   {"cpu.shared_load_wavefronts", 320000},
                   {"cpu.shared_load_bank_conflicts", 310000},
                   {"cpu.shared_store_wavefronts", 10000},
                   {"cpu.shared_store_bank_conflicts", 0}};
  KernelRow branchy = kernel("collatz", 10e-3);
  branchy.counters = {{"cpu.instructions", 1e6}, {"cpu.divergent_branches", 50000}};
  data.kernels = {tile, branchy};
  data.seconds = 0.35;
  complete(data);
  return data;
}

ReportData nothing() {
  ReportData data = h200();
  data.name = "";
  data.seconds = 0.5;
  data.missing = {{"activity", "CUPTI is missing: tried libcupti.so.13", "Install CUPTI."},
                  {"counters", "CUPTI is missing: tried libcupti.so.13", "Install CUPTI."}};
  complete(data);
  return data;
}

ReportData hostile() {
  ReportData data = h200();
  const char* const name = "a\"b</script><script>alert(1)</script>\\'`\n\x1b[31m\xff&,=1+1";
  data.name = name;
  data.machine.device = name;
  data.kernels = {kernel(name)};
  data.kernels[0].note = name;
  data.ranges.push_back(range(name, 0, 1, 0.1));
  data.operations = {operation(name, 1, 1, 1e-3)};
  data.records = {record(RecordKind::KERNEL, name, 0, 1e-3, 1, 0),
                  record(RecordKind::OPERATION, name, 1e-3, 1e-3, ~uint64_t{0}, 0)};
  data.missing = {{name, name, name}};
  complete(data);
  return data;
}

ReportData many(size_t launches) {
  ReportData data = h200();
  for (int i = 0; i < 20; ++i) {
    const std::string name =
        "_ZN6engine7fused" + std::to_string(10 + i) + "IfLi128ELi64ELb1EEEvPKT_PS1_i";
    data.kernels.push_back(kernel(name.c_str(), 20e-6 * (21 - i)));
    set_time(data.kernels.back(), launches / 20, 20e-6 * (21 - i));
    set_amounts(data.kernels.back(), 1e7, 1e7, 1e8 * i);
  }
  data.ranges.push_back(range("step", 0, launches / 100, 1));
  for (size_t i = 0; i < launches; ++i) {
    const double start = static_cast<double>(i) * 25.123456789e-6;
    if (i % 100 == 0)
      data.records.push_back(record(RecordKind::RANGE, "step", start, 2.4e-3, 1, 1));
    data.records.push_back(record(RecordKind::KERNEL, data.kernels[i % 20].name.c_str(), start,
                                  17.7654321e-6, 1 + i % 4, i % 20));
    data.records.back().bytes = 2e7;
  }
  data.dropped_records = 12;
  complete(data);
  return data;
}

}  // namespace samples
