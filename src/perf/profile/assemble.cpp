// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "perf/machine/occupancy.hpp"
#include "perf/measure/machine.hpp"
#include "support/extent.hpp"
#include "support/sha256.hpp"

namespace cucore::perf {
namespace {

uint32_t device_number(const cucore_device* device, cucore_device_attribute_name name) {
  int32_t value = 0;
  (void)cucore_device_attribute(device, name, &value, nullptr);
  return static_cast<uint32_t>(std::max(value, 0));
}

ReportMachine describe_machine(const cucore_device* device) {
  ReportMachine machine;
  static_cast<MeasuredMachine&>(machine) = machine_of(device);
  machine.is_emulated = cucore_device_is_emulated(device) != 0;
  machine.multiprocessors = device_number(device, CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  machine.l2_cache_size = device_number(device, CUCORE_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  size_t unused = 0, total = 0;
  if (cucore_device_memory(device, &unused, &total, nullptr) == CUCORE_OK)
    machine.memory_size = total;
  return machine;
}

std::optional<uint32_t> attribute(const LaunchEntry& entry, cucore_kernel_attribute_name name) {
  int32_t value = 0;
  const cucore_status status =
      cucore_kernel_attribute(entry.kernel.get(), name, entry.device.get(), &value, nullptr);
  if (status != CUCORE_OK || value < 0) return std::nullopt;
  return static_cast<uint32_t>(value);
}

std::optional<size_t> find_symbol(const cucore_objectcode* code, std::string_view kernel) {
  const size_t count = cucore_objectcode_symbol_count(code);
  for (size_t i = 0; i < count; ++i) {
    cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
    if (cucore_objectcode_symbol_at(code, i, &info, nullptr) == CUCORE_OK &&
        info.lowered_name == kernel)
      return i;
  }
  return std::nullopt;
}

// Machine code records more than the driver reports.
void add_recorded(Resources& resources, const cucore_objectcode* code, const char* kernel) {
  const auto symbol = find_symbol(code, kernel);
  cucore_resource_info info = CUCORE_RESOURCE_INFO_INIT;
  if (!symbol || cucore_objectcode_symbol_resources(code, *symbol, &info, nullptr) != CUCORE_OK)
    return;
  const auto set = [](std::optional<uint32_t>& field, int32_t value) {
    if (value >= 0) field = static_cast<uint32_t>(value);
  };
  set(resources.stack, info.stack);
  set(resources.constant, info.constant);
  set(resources.spill_loads, info.spill_loads);
  set(resources.spill_stores, info.spill_stores);
  set(resources.code_size, info.code_size);
}

// The bytes of all parameters, the last of which is the last one in memory too.
std::optional<uint32_t> parameter_bytes(const LaunchEntry& entry) {
  const size_t count = cucore_kernel_parameter_count(entry.kernel.get());
  if (count == 0) return 0;
  size_t offset = 0, size = 0;
  if (count == SIZE_MAX ||
      cucore_kernel_parameter_at(entry.kernel.get(), count - 1, entry.device.get(), &offset, &size,
                                 nullptr) != CUCORE_OK)
    return std::nullopt;
  return clamped(offset + size);
}

void describe_kernel(KernelRow& row, const LaunchEntry& entry) {
  Resources& resources = row.resources;
  resources.parameters = parameter_bytes(entry);
  resources.registers = attribute(entry, CUCORE_KERNEL_ATTRIBUTE_NUM_REGS);
  resources.shared = attribute(entry, CUCORE_KERNEL_ATTRIBUTE_SHARED_SIZE_BYTES);
  resources.local = attribute(entry, CUCORE_KERNEL_ATTRIBUTE_LOCAL_SIZE_BYTES);
  resources.constant = attribute(entry, CUCORE_KERNEL_ATTRIBUTE_CONST_SIZE_BYTES);
  cucore_objectcode* found = nullptr;
  if (cucore_kernel_objectcode(entry.kernel.get(), entry.device.get(), &found, nullptr) !=
      CUCORE_OK)
    return;
  const CodeOwner code = CodeOwner::adopt(found);
  size_t size = 0;
  const void* data = cucore_objectcode_data(code.get(), &size);
  row.digest = hex(sha256({static_cast<const std::byte*>(data), size}));
  add_recorded(resources, code.get(), row.name.c_str());
}

void set_occupancy(KernelRow& row, const cucore_device* device) {
  if (!row.resources.registers) return;
  try {
    const Occupancy occupancy = occupancy_of(
        limits_of(cucore_device_arch(device)),
        {*row.resources.registers, clamped(product_of(row.geometry.block)),
         clamped(uint64_t{row.resources.shared.value_or(0)} + row.geometry.dynamic_shared)});
    row.occupancy = occupancy.fraction;
    row.occupancy_limiter = limiter_name(occupancy.limiter);
  } catch (const Error&) {
    // The limits of the architecture are unknown.
  }
}

void set_amounts(KernelRow& row, const LaunchEntry& entry) {
  if (entry.calls == 0) return;
  if (entry.with_bytes == entry.calls) {
    row.bytes.read = entry.amounts.bytes_read;
    row.bytes.written = entry.amounts.bytes_written;
    row.bytes.source = AmountSource::DECLARED;
  }
  if (entry.with_operations == entry.calls) {
    row.operations.total = entry.amounts.operations;
    row.operations.source = AmountSource::DECLARED;
  }
}

KernelRow row_of(const LaunchEntry& entry, double offset) {
  KernelRow row;
  row.name = cucore_kernel_name(entry.kernel.get());
  row.geometry = entry.geometry;
  row.calls = entry.calls;
  row.captured = entry.captured;
  row.failed = entry.failed;
  row.timed = entry.times.count();
  row.seconds = entry.times.seconds(entry.calls, offset);
  set_amounts(row, entry);
  describe_kernel(row, entry);
  set_occupancy(row, entry.device.get());
  return row;
}

// The CPU device counts each launch, also those that no observer sees. Returns the row of each
// entry.
std::vector<size_t> join_counted(std::vector<KernelRow>& rows, std::vector<KernelRow>& counted) {
  std::unordered_map<NamedLaunch, size_t, NamedLaunch::Hash> indices;
  for (const KernelRow& row : counted)
    indices.try_emplace({row.name, row.geometry}, indices.size());
  std::vector<size_t> places;
  for (KernelRow& row : rows) {
    const auto [found, is_new] = indices.try_emplace({row.name, row.geometry}, counted.size());
    places.push_back(found->second);
    if (is_new) {
      counted.push_back(row);
      continue;
    }
    KernelRow& same = counted[found->second];
    same.digest = row.digest;
    same.captured += row.captured;
    same.resources = row.resources;
    same.occupancy = row.occupancy;
    same.occupancy_limiter = row.occupancy_limiter;
  }
  rows = std::move(counted);
  return places;
}

// The longest first; without times, the most instructions.
double weight_of(const KernelRow& row) {
  if (!std::isnan(row.seconds.total)) return row.seconds.total;
  const auto found = row.counters.find("cpu.instructions");
  return found == row.counters.end() ? 0 : found->second * 1e-18;
}

// Sorts the rows, and returns the new place of each.
std::vector<size_t> sort_rows(std::vector<KernelRow>& rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // A stable sort would allocate.
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double first = weight_of(rows[a]), second = weight_of(rows[b]);
    return first != second ? first > second : a < b;
  });
  std::vector<KernelRow> sorted;
  std::vector<size_t> places(rows.size());
  for (const size_t old : order) {
    places[old] = sorted.size();
    sorted.push_back(std::move(rows[old]));
  }
  rows = std::move(sorted);
  return places;
}

// Sets the rows of the records, which refer to entries and kinds until now.
void place_records(const SessionParts& parts, const std::vector<size_t>& places) {
  for (TimelineRecord& record : parts.records) {
    if (record.kind == RecordKind::KERNEL) record.row = places[record.row];
    if (record.kind != RecordKind::OPERATION) continue;
    const auto found = parts.operations.find(static_cast<uint32_t>(record.row));
    record.row = static_cast<size_t>(std::distance(parts.operations.begin(), found));
  }
  std::sort(parts.records.begin(), parts.records.end(),
            [](const TimelineRecord& a, const TimelineRecord& b) { return a.start < b.start; });
}

// Some drivers number streams by large numbers, which no reader compares. They become 1, 2, 3.
void number_streams(std::vector<TimelineRecord>& records) {
  constexpr uint64_t LARGE = uint64_t{1} << 24;
  std::map<uint64_t, uint64_t> numbers;
  for (TimelineRecord& record : records)
    if (record.kind != RecordKind::RANGE && record.stream >= LARGE)
      record.stream = numbers.try_emplace(record.stream, numbers.size() + 1).first->second;
}

double kernel_seconds(const std::vector<RangeCalls>& calls, const std::vector<KernelRow>& kernels) {
  double seconds = UNKNOWN;
  for (const RangeCalls& one : calls) {
    const double more = kernels[one.kernel].seconds.mean * static_cast<double>(one.calls);
    if (!std::isnan(more)) seconds = (std::isnan(seconds) ? 0 : seconds) + more;
  }
  return seconds;
}

// The rows of entries, the slowest first, get what the model and the analysis have.
void add_models(ReportData& data, const SessionParts& parts, const std::vector<size_t>& places) {
  std::vector<const LaunchEntry*> entries(data.kernels.size());
  for (size_t entry = 0; entry < parts.launches.size(); ++entry)
    entries[places[entry]] = &parts.launches[entry];
  ModelledRows models(parts.programs, parts.model, parts.may_compile,
                      static_cast<double>(data.machine.l2_cache_size));
  for (size_t row = 0; row < entries.size(); ++row)
    if (entries[row]) models.add_to(data.kernels[row], *entries[row]);
  for (MissingPart& part : models.take_missing()) data.missing.push_back(std::move(part));
}

}  // namespace

const char* operation_name(cucore_operation_kind kind) {
  switch (kind) {
    case CUCORE_OPERATION_LAUNCH:
      return "launch";
    case CUCORE_OPERATION_COPY:
      return "copy";
    case CUCORE_OPERATION_FILL:
      return "fill";
    case CUCORE_OPERATION_WRITE:
      return "write";
    case CUCORE_OPERATION_READ:
      return "read";
    case CUCORE_OPERATION_GRAPH_LAUNCH:
      return "graph_launch";
    case CUCORE_OPERATION_ALLOCATE:
      return "allocate";
    case CUCORE_OPERATION_FREE:
      return "free";
    case CUCORE_OPERATION_COMPILE:
      return "compile";
    case CUCORE_OPERATION_LINK:
      return "link";
    case CUCORE_OPERATION_LOAD:
      return "load";
    case CUCORE_OPERATION_SYNCHRONIZE:
      return "synchronize";
    case CUCORE_OPERATION_FORCE_INT32:
      break;
  }
  return "unknown";
}

SessionResult assemble(SessionParts& parts, ProfileSource source) {
  SessionResult result;
  ReportData& data = result.data;
  data.source = source;
  double offset = 0;
  if (parts.device) {
    data.machine = describe_machine(parts.device);
    result.device = DeviceOwner::share(parts.device);
    const bool has_events = source == ProfileSource::EVENTS || source == ProfileSource::ACTIVITY;
    if (has_events && !data.machine.is_emulated && parts.may_wait) {
      offset = measure_event_offset(parts.device);
      data.roof.event_offset = offset;
    }
  }
  for (const LaunchEntry& entry : parts.launches) data.kernels.push_back(row_of(entry, offset));
  if (parts.adjust) parts.adjust(data.kernels, offset);
  std::vector<size_t> places(data.kernels.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (source == ProfileSource::EMULATED) places = join_counted(data.kernels, parts.counted);
  const std::vector<size_t> sorted = sort_rows(data.kernels);
  for (size_t& place : places) place = sorted[place];

  for (const auto& [kind, totals] : parts.operations)
    data.operations.push_back(operation_row(kind, totals, offset));
  add_models(data, parts, places);
  place_records(parts, places);
  number_streams(parts.records);
  data.records = std::move(parts.records);
  data.ranges = parts.ranges.ranges();
  const std::vector<RangeTable::EntryCalls> calls_of_ranges = parts.ranges.calls();
  for (size_t range = 0; range < data.ranges.size(); ++range) {
    std::map<size_t, uint64_t> rows;
    for (const auto& [entry, calls] : calls_of_ranges[range]) rows[places[entry]] += calls;
    std::vector<RangeCalls>& calls = result.calls.emplace_back();
    for (const auto& [row, count] : rows) calls.push_back({row, count});
    data.ranges[range].kernel_seconds = kernel_seconds(calls, data.kernels);
  }
  return result;
}

}  // namespace cucore::perf
