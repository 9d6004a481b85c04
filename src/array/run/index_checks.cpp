// SPDX-License-Identifier: Apache-2.0
#include "array/run/index_checks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {
namespace {

// Adds the names of the arrays of indices.
void add_places(const Kernel& kernel, const std::vector<uint16_t>& arguments,
                const std::vector<IndexDetail>& indices, IndexCheck& check) {
  for (size_t at = 0; at < arguments.size(); ++at) {
    const Node& index = kernel.nodes[arguments[at]];
    const bool is_named = index.kind == NodeKind::LOAD && kernel.inputs[index.slot]->name;
    if (is_named)
      check.places.push_back({.axis = indices[at].axis, .name = kernel.inputs[index.slot]->name});
  }
}

std::vector<IndexCheckRef> checks_of(const Kernel& kernel, uint64_t number) {
  std::vector<IndexCheckRef> checks;
  const auto check = [&](size_t report) -> IndexCheck& {
    if (report == checks.size())
      checks.push_back(
          std::make_shared<IndexCheck>(IndexCheck{.number = number, .report = report}));
    return *checks[report];
  };
  for (size_t at = 0; at < kernel.nodes.size(); ++at) {
    const Node& node = kernel.nodes[at];
    if (node.kind == NodeKind::GATHER)
      add_places(kernel, node.arguments, *node.indices, check(report_of_node(kernel, at)));
  }
  for (size_t at = 0; at < kernel.stores.size(); ++at) {
    const Store& store = kernel.stores[at];
    if (!store.arguments.empty())
      add_places(kernel, store.arguments, *store.indices, check(report_of_store(kernel, at)));
  }
  return checks;
}

std::exception_ptr failure_of(const IndexReport& report, const IndexCheck& check) {
  std::string name;
  for (const IndexCheck::Place& place : check.places)
    if (place.axis == report.axis && name.empty()) name = concat("of '", *place.name, "', ");
  return std::make_exception_ptr(
      Error(Status::INDEX,
            concat("index ", report.value, " is out of range for axis ", report.axis, " of size ",
                   report.size, " (", name, "told late: the index was computed on the device)")));
}

bool is_earlier(const IndexCheckRef& a, const IndexCheckRef& b) {
  return std::pair(a->number, a->report) < std::pair(b->number, b->report);
}

}  // namespace

void CheckSet::add(const IndexCheckRef& check) {
  if (check->is_settled && !check->failure) return;
  const auto place = std::lower_bound(checks_.begin(), checks_.end(), check, is_earlier);
  if (place == checks_.end() || *place != check) checks_.insert(place, check);
}

void CheckSet::add(const CheckSet& other) {
  std::erase_if(checks_,
                [](const IndexCheckRef& each) { return each->is_settled && !each->failure; });
  for (const IndexCheckRef& each : other.checks_) add(each);
}

std::exception_ptr CheckSet::failure() const {
  for (const IndexCheckRef& each : checks_)
    if (each->failure) return each->failure;
  return {};
}

void IndexChecks::allocate(const NativeDevice& device) {
  constexpr size_t BYTES = CAPACITY * INDEX_REPORTS * sizeof(IndexReport);
  std::vector<size_t> blocks;
  for (size_t block = CAPACITY; block-- > 0;) blocks.push_back(block);
  auto buffer = created<NativeBuffer>("allocate the reports of kernels",
                                      cucore_buffer_create_pinned, device.get(), BYTES);
  std::memset(cucore_buffer_host_pointer(buffer.get()), 0, BYTES);
  open_.reserve(CAPACITY);
  ends_.resize(CAPACITY);
  free_ = std::move(blocks);
  buffer_ = std::move(buffer);
}

IndexReport* IndexChecks::reports(size_t block) const {
  return static_cast<IndexReport*>(cucore_buffer_host_pointer(buffer_.get())) +
         block * INDEX_REPORTS;
}

IndexChecks::Launch IndexChecks::add(const Kernel& kernel, const NativeDevice& device) {
  if (!buffer_) allocate(device);
  std::vector<IndexCheckRef> checks = checks_of(kernel, number_ + 1);
  Launch launch{.checks = checks};
  const size_t block = free_.back();
  if (!ends_[block])
    ends_[block] = created<NativeEvent>("prepare the end of a kernel", cucore_event_create,
                                        device.get(), nullptr);
  launch.address =
      cucore_buffer_address(buffer_.get()) + block * INDEX_REPORTS * sizeof(IndexReport);
  open_.push_back({.number = number_ + 1, .block = block, .checks = std::move(checks)});
  free_.pop_back();
  ++number_;
  return launch;
}

void IndexChecks::add_end(const NativeStream& stream) noexcept {
  cucore_error* error = nullptr;
  const NativeEvent& end = ends_[open_.back().block];
  open_.back().has_end = cucore_event_record(end.get(), stream.get(), &error) == CUCORE_OK;
  cucore_error_release(error);
}

NativeEvent IndexChecks::end_of(uint64_t number) const {
  const auto launch =
      std::lower_bound(open_.begin(), open_.end(), number,
                       [](const Open& open, uint64_t of) { return open.number < of; });
  const bool is_open = launch != open_.end() && launch->number == number && launch->has_end;
  return is_open ? ends_[launch->block] : NativeEvent();
}

void IndexChecks::settle(uint64_t number) {
  size_t ended = 0;
  for (; ended < open_.size() && open_[ended].number <= number; ++ended) {
    IndexReport* const written = reports(open_[ended].block);
    for (const IndexCheckRef& check : open_[ended].checks) {
      IndexReport report{};
      std::memcpy(&report, written + check->report, sizeof report);
      check->is_settled = true;
      if (report.is_set == 0) continue;
      check->failure = failure_of(report, *check);
      if (new_failures_.size() < MOST_FAILURES) new_failures_.push_back(check->failure);
    }
    std::memset(written, 0, INDEX_REPORTS * sizeof(IndexReport));
    free_.push_back(open_[ended].block);
  }
  open_.erase(open_.begin(), open_.begin() + static_cast<ptrdiff_t>(ended));
}

void IndexChecks::throw_new_failure() {
  if (new_failures_.empty()) return;
  const std::exception_ptr first = new_failures_.front();
  new_failures_.pop_front();
  std::rethrow_exception(first);
}

void IndexChecks::set_reported(const std::exception_ptr& failure) {
  std::erase(new_failures_, failure);
}

}  // namespace cucore::array
