// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/counted_places.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "perf/machine/limits.hpp"
#include "support/extent.hpp"

namespace cucore::perf {
namespace {

constexpr uint64_t MOVED_BYTES = 32;  // bytes

using CodeRow = cucore_cpu_trace_row;
using CodeRows = std::vector<const CodeRow*>;  // of one function, in the order of the text

// The place of the call in the file of the kernel, if a function of another file was inlined.
Place place_of_row(const CodeRow& row) {
  const bool is_inlined = row.inlined_line != 0 && std::strcmp(row.inlined_file, row.file) != 0;
  return {.file = source_name(is_inlined ? row.inlined_file : row.file),
          .line = is_inlined ? row.inlined_line : row.line,
          .ptx_line = row.ptx_line};
}

double wasted_bytes_of_row(const CodeRow& row) {
  double wasted = 0;
  for (const cucore_cpu_traffic* traffic :
       {&row.counts.global_load, &row.counts.global_store, &row.counts.global_atomic})
    wasted +=
        static_cast<double>(MOVED_BYTES * traffic->sectors) - static_cast<double>(traffic->bytes);
  return wasted;
}

double conflicts_of_row(const CodeRow& row) {
  return static_cast<double>(row.counts.shared_load.bank_conflicts +
                             row.counts.shared_store.bank_conflicts);
}

double local_bytes_of_row(const CodeRow& row) {
  return static_cast<double>(row.counts.local_load.bytes + row.counts.local_store.bytes);
}

// The lines of the PTX in which threads wait because a branch parts them.
struct Region {
  const CodeRow* branch;
  uint32_t first, last;
  bool contains(uint32_t line) const { return first <= line && line <= last; }
};

class Divergence {
 public:
  explicit Divergence(const CodeRows& rows) : rows_(rows) {
    for (const CodeRow* row : rows)
      if (row->counts.divergent_branches != 0) regions_.push_back(region_of(*row));
  }

  // Adds the threads that wait to the branch that parts them. `active` is the part of the lanes
  // that blocks of the launch fill.
  void add_to(std::map<const CodeRow*, double>& losses, double active) const {
    for (const CodeRow* row : rows_) {
      const double lanes = static_cast<double>(row->counts.warp_instructions) * WARP_SIZE * active;
      const double waiting = lanes - static_cast<double>(row->counts.thread_instructions);
      if (const CodeRow* const branch = waiting > 0 ? branch_of(*row) : nullptr)
        losses[branch] += waiting;
    }
  }

 private:
  // `@p bra else; ...; bra end; else: ...; end:` ends at `end`, and `@p bra end; ...; end:` too.
  // The last branch of a loop, and a branch out of a loop, part the threads of the whole loop.
  Region region_of(const CodeRow& branch) const {
    const uint32_t line = branch.ptx_line, target = branch.target_line;
    if (target == 0) return {&branch, line + 1, line};
    if (target <= line) return {&branch, target, line};
    for (const CodeRow* row : rows_)
      if (row->target_line != 0 && row->target_line <= line && row->ptx_line > line &&
          row->ptx_line < target)
        return {&branch, row->target_line, row->ptx_line};
    const auto found = std::ranges::lower_bound(rows_, target, {}, &CodeRow::ptx_line);
    const CodeRow* const before = found == rows_.begin() ? nullptr : *std::prev(found);
    const bool has_other = before && before != &branch && before->target_line > target;
    return {&branch, line + 1, (has_other ? before->target_line : target) - 1};
  }

  // The innermost branch, which begins last. Without one, the last that parts threads before.
  const CodeRow* branch_of(const CodeRow& row) const {
    const Region *innermost = nullptr, *before = nullptr;
    for (const Region& region : regions_) {
      if (region.contains(row.ptx_line) && (!innermost || region.first >= innermost->first))
        innermost = &region;
      if (region.branch->ptx_line < row.ptx_line) before = &region;
    }
    const Region* const found = innermost ? innermost : before;
    return found ? found->branch : nullptr;
  }

  const CodeRows& rows_;
  std::vector<Region> regions_;
};

std::vector<CodeRows> rows_by_function(const cucore_cpu_trace_launch& launch, size_t row_size) {
  std::vector<CodeRows> functions;
  const auto* bytes = reinterpret_cast<const char*>(launch.rows);
  for (size_t i = 0; i < launch.row_count; ++i) {
    const auto* const row = reinterpret_cast<const CodeRow*>(bytes + i * row_size);
    if (functions.empty() || std::strcmp(functions.back().front()->function, row->function) != 0)
      functions.emplace_back();
    functions.back().push_back(row);
  }
  return functions;
}

// The part of the lanes of whole warps that have a thread.
double filled_lanes(const uint32_t (&block)[3]) {
  const uint64_t threads = product_of(block);
  const uint64_t lanes = (threads + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;
  return lanes == 0 ? 1 : static_cast<double>(threads) / static_cast<double>(lanes);
}

}  // namespace

void CountedPlaces::add(const cucore_cpu_trace_launch& launch, size_t row_size,
                        const Sources& sources) {
  if (launch.row_count == 0) return;
  auto& kernel = kernels_[launch.kernel];
  const auto add = [&](uint16_t finding, double count, const CodeRow& row) {
    if (!(count > 0)) return;
    Place place = place_of_row(row);
    if (const auto found = sources.find(row.ptx_line); place.line == 0 && found != sources.end())
      place = found->second;
    const uint32_t ptx_line = place.line == 0 ? place.ptx_line : 0;
    Line& line = kernel[finding][{place.file, place.line, ptx_line}];
    line.count += count;
    if (count <= line.worst) return;
    line.worst = count;
    line.place = std::move(place);
  };
  for (const CodeRows& rows : rows_by_function(launch, row_size)) {
    for (const CodeRow* row : rows) {
      add(203, wasted_bytes_of_row(*row), *row);
      add(207, conflicts_of_row(*row), *row);
      add(218, local_bytes_of_row(*row), *row);
    }
    std::map<const CodeRow*, double> losses;
    Divergence(rows).add_to(losses, filled_lanes(launch.block));
    for (const auto& [branch, waiting] : losses) add(208, waiting, *branch);
  }
}

std::map<uint16_t, Place> CountedPlaces::of(const std::string& kernel) const {
  std::map<uint16_t, Place> places;
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) return places;
  for (const auto& [finding, lines] : found->second) {
    const auto longest =
        std::ranges::max_element(lines, {}, [](const auto& each) { return each.second.count; });
    places.emplace(finding, longest->second.place);
  }
  return places;
}

}  // namespace cucore::perf
