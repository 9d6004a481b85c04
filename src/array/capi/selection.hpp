// SPDX-License-Identifier: Apache-2.0
// The items of x[...] from the caller. A mask becomes integers, for whose number the host waits.
#pragma once

#include <deque>
#include <optional>

#include "array/capi/guard.hpp"

namespace cucore::array {

class Selection {
 public:
  Selection(const cucore_array_index* items, size_t count, const ArrayObject& x);

  // Before elements(): it may wait, and needs the context unlocked.
  void replace_masks();
  // The elements, with the context locked.
  Array elements() const;
  // x[items] = value, or x[items] = op(x[items], value).
  void assign(const Op* op, const Input& value, Write& write);

 private:
  // The only array among the items, if it is a mask, and the view of all other items.
  struct Mask {
    Array selected, mask;  // the mask broadcasts to the view
  };
  std::optional<Mask> mask() const;
  bool assign_by_mask(const Op* op, const Input& value, Write& write);
  void replace_mask(const Item& item, size_t axis, std::vector<Item>* all);

  Context& context_;
  HeldArray array_;  // with the axes of a mask as one, where the strides permit it
  std::vector<Guest> guests_;
  std::vector<Item> items_;
  std::deque<HeldArray> held_;  // integers of masks
  size_t arrays_ = 0;
  bool distinct_ = false;
};

// For each axis, the indices of the elements that are not 0. Waits for their number.
std::vector<Array> nonzero(Context& context, const Array& array);

}  // namespace cucore::array
