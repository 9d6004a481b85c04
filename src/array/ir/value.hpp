// SPDX-License-Identifier: Apache-2.0
// A value: the elements that an operation computes, once. It is immutable. Its elements are dense;
// the axes of its shape are in the order of the memory, the last one consecutive.
//
// All values of a context belong to its graph. The lock of the graph protects them.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "array/ir/number.hpp"
#include "array/model/view.hpp"
#include "array/ops/rules.hpp"
#include "support/ref.hpp"

namespace cucore::array {

class Graph;
class Value;

// The memory of a value. Those who run kernels derive from it.
class Storage : public Object {
 public:
  explicit Storage(bool pinned) : pinned_(pinned) {}
  // Whether others see the memory: its address never changes, and no other value takes it over.
  bool pinned() const noexcept { return pinned_; }
  void pin() noexcept { pinned_ = true; }

 private:
  bool pinned_;
};

// A counted reference. The last one destroys the value, and chains of values without recursion.
class ValueRef {
 public:
  ValueRef() = default;
  ValueRef(std::nullptr_t) {}
  explicit ValueRef(Value* value) noexcept;
  ValueRef(const ValueRef& other) noexcept : ValueRef(other.value_) {}
  ValueRef(ValueRef&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  ValueRef& operator=(ValueRef other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~ValueRef();

  Value* get() const noexcept { return value_; }
  Value* operator->() const noexcept { return value_; }
  Value& operator*() const noexcept { return *value_; }
  explicit operator bool() const noexcept { return value_ != nullptr; }
  friend bool operator==(const ValueRef&, const ValueRef&) = default;

 private:
  Value* value_ = nullptr;
};

enum class ValueKind : uint8_t {
  STORED,    // made by the host or by others; has its storage from the beginning
  EMPTY,     // memory whose elements were never written
  POSITION,  // int64: the position of each element
  MAP,       // an operation of the table, or a cast
  GATHER,    // elements of operand 0 at the indices in the other operands
  REDUCE,    // some neighbouring axes of operand 0 become one element
  SEARCH,    // where the elements of operand 1 belong in operand 0, which is sorted
  SORT,      // the rows of operand 0, sorted, or the places that their elements had
  MATMUL,    // the products of the matrices in the last two axes of operands 0 and 1
  SCAN,      // each element of an axis is combined with those before it
  UPDATE,    // operand 0 after a write of operand 1 to the elements that the first view shows,
             // moved by the indices in the other operands
};

enum class ValueState : uint8_t {
  PENDING,
  READY,   // has a storage
  MOVED,   // its storage became that of a newer value; only a fault of the library reads it
  FAILED,  // has an error
};

// An element-wise input: a view of a value, with the shape of the result, or a constant.
struct Operand {
  ValueRef value = {};
  View view = {};
  Constant constant = {};  // without a value

  bool is_constant() const noexcept { return !value; }
  Dtype dtype() const noexcept;
};

enum class Reduction : uint8_t { SUM, PROD, MIN, MAX, ARGMIN, ARGMAX, ANY, ALL, MOMENT };

// The elements of the longest row that a kernel keeps. Longer ones are reduced in parts.
constexpr int64_t ROW_LIMIT = 32768;

// The axes [first, last) of the operand's view are reduced. MOMENT is the sum of the squared
// differences from the mean. ARGMIN and ARGMAX take the number of each element from operand 1.
struct ReduceDetail {
  Reduction op = Reduction::SUM;
  uint8_t first = 0, last = 0;
};

struct ScanDetail {
  Reduction op = Reduction::SUM;
  uint8_t axis = 0;
};

// Of a SORT: of its rows, and what it returns. Of a SEARCH: the place after equal elements.
struct SortDetail {
  bool descending = false, positions = false;
  bool right = false;

  friend bool operator==(const SortDetail&, const SortDetail&) = default;
};

// The one index of a SEARCH has the size and the stride of operand 0.
// An index operand of a GATHER or UPDATE counts steps of `stride` elements of operand 0. It is at
// least -size, and less than size.
struct IndexDetail {
  int64_t size, stride;
  uint8_t axis;  // of the indexed array; for messages
};

struct MapDetail {
  const Op* op = nullptr;  // nullptr: a cast
  Types types{};           // of the operands inside the operation
  ExpressionClass expression{};
  uint8_t output = 0;
  std::vector<Constant> parameters = {};
};

class Value {
 public:
  Value(Graph& graph, ValueKind kind, Dtype dtype, Dims shape, std::vector<Operand> operands);
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  Graph& graph;
  const ValueKind kind;
  const Dtype dtype;
  const Dims shape;
  const int64_t count;
  MapDetail map;
  ReduceDetail reduce;
  ScanDetail scan;
  SortDetail sort;
  std::vector<IndexDetail> indices;
  bool distinct = true;  // an UPDATE writes each element at most once
  bool skips = false;    // an UPDATE writes nothing where its only index equals the size

  ValueState state() const noexcept { return state_; }
  bool is_pending() const noexcept { return state_ == ValueState::PENDING; }
  const std::vector<Operand>& operands() const noexcept { return operands_; }
  uint32_t depth() const noexcept { return depth_; }
  int64_t bytes() const noexcept { return count * static_cast<int64_t>(size_of(dtype)); }

  const Ref<Storage>& storage() const noexcept { return storage_; }
  const std::exception_ptr& failure() const noexcept { return failure_; }
  // Pending values that have this one as an operand; once for each such operand.
  const std::vector<Value*>& users() const noexcept { return users_; }
  uint32_t cells() const noexcept { return cells_; }  // whose current value this is

  // Replaces an operand of a pending value by another one with the same elements.
  void set_operand(size_t at, Operand operand);
  // The elements are in `storage` now, or will be before the next kernel runs.
  void set_ready(Ref<Storage> storage);
  // The elements of a ready value were copied to `storage`.
  void move_to(Ref<Storage> storage) noexcept { storage_ = std::move(storage); }
  void set_failed(std::exception_ptr failure);
  void set_moved() noexcept;

  std::shared_ptr<const std::string> name;  // of the cells that it is or was in; may be empty

  uint32_t mark = 0;             // of the traversal that visited it last
  uint32_t number = 0;           // in the cone that is being planned
  bool computed_before = false;  // as a part of a kernel that did not store it

 private:
  friend class ValueRef;
  friend class Cell;
  friend class Graph;
  ~Value();
  void enter_cell() noexcept;
  void leave_cell() noexcept;
  void count_retained() noexcept;
  void leave_operands() noexcept;
  void remove_user(Value* user) noexcept;
  void settle(ValueState state) noexcept;

  uint32_t references_ = 0;
  uint32_t cells_ = 0;
  uint32_t depth_ = 0;
  bool is_retained_ = false;  // is in the graph's count of retained bytes
  ValueState state_ = ValueState::PENDING;
  std::vector<Operand> operands_;
  std::vector<Value*> users_;
  Ref<Storage> storage_;
  std::exception_ptr failure_;
  Value* previous_ = nullptr;  // in the list of the graph's pending values
  Value* next_ = nullptr;
  Value* next_dying_ = nullptr;
};

// Whether the view shows all elements of a dense value of `count` elements in their order.
bool is_identity(const View& view, int64_t count) noexcept;

}  // namespace cucore::array
