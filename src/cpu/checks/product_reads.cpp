// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/product_reads.hpp"

#include <algorithm>
#include <bit>

#include "cpu/checks/check_report.hpp"
#include "cpu/checks/checks.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr size_t MOST_PRODUCTS = 64;              // older ones count as complete
constexpr uint32_t READ_KEY = uint32_t{3} << 30;  // not a site, nor the key of a copy

}  // namespace

void ProductReads::clear() {
  if (any()) std::fill(readers_.begin(), readers_.end(), 0);
  products_.clear();
}

void ProductReads::forget(const Product& product) {
  for (const Words& words : product.words)
    for (uint32_t k = words.first; k < words.end; ++k) --readers_[k];
}

void ProductReads::add(const Warp& w, const Op& op, uint32_t group, uint64_t offset,
                       uint64_t size) {
  if (readers_.empty()) readers_.resize((w.block->launch.shared_bytes + 3) / 4);
  const auto is_same = [&](const Product& p) {
    return p.op == &op && p.warp == w.index && p.group == group;
  };
  if (products_.empty() || !is_same(products_.back())) {
    if (products_.size() == MOST_PRODUCTS) {
      forget(products_.front());
      products_.erase(products_.begin());
    }
    products_.push_back({&op, w.frame->function, w.index, group, {}});
  }
  const auto first = uint32_t(offset / 4);
  const auto end = uint32_t(std::min<uint64_t>((offset + size + 3) / 4, readers_.size()));
  if (first >= end) return;
  std::vector<Words>& words = products_.back().words;
  const auto is_last = [&](const Words& last) { return last.first <= first && end <= last.end; };
  if (!words.empty() && is_last(words.back())) return;
  for (uint32_t k = first; k < end; ++k) ++readers_[k];
  if (!words.empty() && words.back().end == first)
    words.back().end = end;
  else
    words.push_back({first, end});
}

void ProductReads::end(const Warp& w, uint32_t group) {
  std::erase_if(products_, [&](const Product& p) {
    const bool is_complete = p.warp == w.index && p.group <= group;
    if (is_complete) forget(p);
    return is_complete;
  });
}

const ProductReads::Product* ProductReads::reader_of(uint32_t word) const {
  for (const Product& p : products_)
    for (const Words& words : p.words)
      if (words.first <= word && word < words.end) return &p;
  return nullptr;
}

void ProductReads::check(Warp& w, const Op& op, const CheckedOp& c) const {
  const bool is_shared = c.region == Region::SHARED || c.region == Region::CLUSTER;
  if (c.hook == Hook::LOAD || (!is_shared && c.region != Region::GENERIC)) return;
  const uint64_t window = is_shared ? 0 : AddressSpace::instance().shared_window();
  Lanes lanes;
  w.block->checks->launch.lanes->addresses(w, op, c.size(), op.target & NARROW, 0, lanes);
  for (uint32_t m = w.mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    check_lane(w, op, c, l, lanes.addresses[l] - window, c.size());
  }
}

void ProductReads::check_lane(Warp& w, const Op& op, const CheckedOp& c, int lane, uint64_t offset,
                              uint64_t size) const {
  if (c.hook == Hook::LOAD || offset / 4 >= readers_.size() || size == 0) return;
  const auto end = std::min<uint64_t>((offset + size + 3) / 4, readers_.size());
  auto word = uint32_t(offset / 4);
  while (word < end && readers_[word] == 0) ++word;
  const Product* product = word < end ? reader_of(word) : nullptr;
  if (!product) return;
  const DecodedFunction& function = *product->function;
  const Place place = place_of(function, size_t(product->op - function.ops.data()));
  LaunchChecks& launch = w.block->checks->launch;
  const LaunchChecks::Key key{ReportKind::SHARED_RACE, &op, READ_KEY | place.ptx_line};
  if (!launch.is_first(key)) return;
  Report report = access_report(w, op, c, lane, offset, "shared");
  report.kind = key.kind;
  report.other = "the product of " +
                 thread_name(w.block->launch, report.block, product->warp * LANES) + " reads it";
  report.other_place = place;
  report.missing = "without a wgmma.wait_group";
  keep_report(launch, key, std::move(report));
}

}  // namespace cucore::cpu
