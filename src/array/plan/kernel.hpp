// SPDX-License-Identifier: Apache-2.0
// A kernel of a plan: the contract between the planner and those who make code of it.
//
// A kernel visits each index of its space, outer axes first. A family with inner axes reduces them.
// Nodes are in an order in which each follows its arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "array/ir/value.hpp"
#include "array/plan/access.hpp"

namespace cucore::array {

enum class KernelFamily : uint8_t {
  MAP,      // no inner axes
  ROWS,     // inner axes of at most ROW_LIMIT elements; any number of phases
  CHUNKED,  // longer inner axes; one reduction deep
  OUTER,    // the inner axes are slower in memory than the last `columns` outer axes
  SCAN,     // the inner axis is scanned; `columns` as in OUTER
  MATMUL,   // stores a PRODUCT; the last two outer axes are its rows and columns
  SORT,     // the inner axis is sorted; stores the only node of this kind
};

enum class NodeKind : uint8_t {
  LOAD,      // an element of input `slot`
  POSITION,  // int64: the position that the access returns
  CONSTANT,  // constants[slot]
  MAP,       // an operation, or a cast without one
  PART,      // real or imaginary part of argument 0
  GATHER,    // an element of input `slot`: the access, and index arguments that step from there
  REDUCED,   // argument 0 reduced over the inner axes; argument 1 is the number of an element
  SEARCH,    // the place of argument 0 in input `slot`: the access, and the index's size and stride
  PRODUCT,   // the matrices that arguments 0 and 1 load, whose accesses have the matrices' axes
  SORTED,    // argument 0 in its sorted place, or the place that it had
  SCANNED,   // argument 0 combined with the elements before it
};

struct Node {
  NodeKind kind;
  Dtype dtype;
  bool per_element = false;  // depends on the inner axes
  uint8_t phase = 0;         // the number of reductions, one after another, that it waits for
  uint16_t slot = 0;
  Part part = Part::WHOLE;
  Access access = {};
  std::vector<uint16_t> arguments = {};
  const MapDetail* map = nullptr;                     // of MAP
  const std::vector<IndexDetail>* indices = nullptr;  // of GATHER and SEARCH
  Reduction reduction = {};
  SortDetail sort = {};  // of SORTED and SEARCH
};

// Whether the node reads an input at a place that depends on its arguments.
inline bool reads_anywhere(const Node& node) noexcept {
  return node.kind == NodeKind::GATHER || node.kind == NodeKind::SEARCH;
}

struct Store {
  uint16_t node;
  uint16_t slot;  // of the outputs
  Access access;
  Part part = Part::WHOLE;
  std::vector<uint16_t> arguments = {};               // indices that step from the access
  const std::vector<IndexDetail>* indices = nullptr;  // of the arguments
  bool ordered = false;  // the last one of several indices of the space wins
  bool skips = false;    // nothing is stored where the only index equals the size
};

struct Kernel {
  KernelFamily family = KernelFamily::MAP;
  Dims outer, inner;
  size_t columns = 0;  // the last outer axes that are faster in memory than the inner ones
  std::vector<Node> nodes = {};
  std::vector<Constant> constants = {};
  std::vector<Store> stores = {};
  std::vector<ValueRef> inputs = {};   // by slot
  std::vector<ValueRef> outputs = {};  // by slot
  mutable Ref<Object> prepared = {};   // what the machine keeps for the next launch

  int64_t rows() const { return count_of(outer); }
  int64_t row_size() const { return count_of(inner); }
};

}  // namespace cucore::array
