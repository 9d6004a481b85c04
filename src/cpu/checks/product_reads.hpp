// SPDX-License-Identifier: Apache-2.0
// The bytes of a block's shared memory that products of warpgroups read, from the product until its
// warp has waited for its group. Each store to them is a race with the product, also by its own
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/checks/check_table.hpp"

namespace cucore::cpu {

class ProductReads {
 public:
  bool any() const { return !products_.empty(); }
  void clear();

  // A product of the warp reads bytes. Groups of a warp have ascending numbers.
  void add(const Warp& w, const Op& op, uint32_t group, uint64_t offset, uint64_t size);
  // The groups of the warp up to this one are complete.
  void end(const Warp& w, uint32_t group);

  // Reports stores and atomics of the warp to bytes that a product may still read.
  void check(Warp& w, const Op& op, const CheckedOp& checked) const;
  void check_lane(Warp& w, const Op& op, const CheckedOp& checked, int lane, uint64_t offset,
                  uint64_t size) const;

 private:
  struct Words {
    uint32_t first, end;
  };
  struct Product {
    const Op* op;
    const DecodedFunction* function;
    uint32_t warp, group;
    std::vector<Words> words;
  };
  void forget(const Product& product);
  const Product* reader_of(uint32_t word) const;

  std::vector<Product> products_;
  std::vector<uint16_t> readers_;  // by word: the number of reads
};

}  // namespace cucore::cpu
