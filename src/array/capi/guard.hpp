// SPDX-License-Identifier: Apache-2.0
// The barrier of this library. Its errors are libcucore's: every function on errors accepts them.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "array/capi/handles.hpp"
#include "array/model/indexing.hpp"
#include "support/guard.hpp"

namespace cucore::array {

cucore_status report(cucore_error** error) noexcept;

template <class Body>
cucore_status guard(cucore_error** error, Body&& body) noexcept {
  return guard_with<report>(error, std::forward<Body>(body));
}

// ---- arguments

Dims shape_of(const int64_t* shape, size_t ndim);
std::span<const int32_t> axes_of_caller(const int32_t* axes, size_t count);
// A type that is not the default one.
Dtype dtype_of_caller(cucore_array_dtype dtype, const char* argument);
const Op& op_of_caller(int32_t op);
// Of so many operands, one result and no parameters.
const Op& elementwise_of_caller(int32_t op, size_t arity);
Number number_of(const cucore_array_scalar& scalar);
// An array of a call, for the context of the call. The elements of an array of another context of
// the device are copied, and the device orders the copy with both streams.
class Guest {
 public:
  // Throws INVALID_ARGUMENT if the array is on another device. Evaluates it in its own context.
  Guest(const ArrayObject& array, Context& context, const char* argument);
  // As long as the guest, and the array of the caller.
  const Array& array() const noexcept { return copy_ ? copy_->array : *array_; }

 private:
  const Array* array_;
  std::unique_ptr<HeldArray> copy_;
};

// Items of x[...]. The guests keep the arrays among them.
std::vector<Item> items_of(const cucore_array_index* items, size_t count, const ArrayObject& x,
                           std::vector<Guest>* guests);
// The arrays for the context of the first one, at least one.
std::vector<Array> arrays_of(const cucore_array* const* arrays, size_t count,
                             Ref<Context>* context);

// Arrays and numbers of one operation, for a context, by default that of the first array.
class Operands {
 public:
  // At most MOST_OPERANDS.
  Operands(const cucore_array_operand* operands, size_t count, Ref<Context> context = {});
  Operands(std::initializer_list<const cucore_array*> arrays);

  Context& context() const noexcept { return *context_; }
  const Ref<Context>& context_ref() const noexcept { return context_; }
  std::span<const Input> inputs() const noexcept { return {inputs_.data(), count_}; }

 private:
  void add(const cucore_array* array, const char* argument);

  Ref<Context> context_;
  std::array<Input, MOST_OPERANDS> inputs_ = {};
  std::vector<Guest> guests_;
  size_t count_ = 0;
};

// A write of a call. If its evaluation fails, the array has its earlier elements again, so that the
// caller can repeat the call.
class Write {
 public:
  Write(Context& context, const Ref<Cell>& cell) : context_(context), cell_(cell) {
    context_.before_write(cell_);
  }
  Write(const Write&) = delete;
  ~Write();

  template <class Body>
  void record(Body&& body) {
    const Context::Lock lock(context_);
    begin(lock);
    body(lock.graph());
    end(lock);
  }
  // Around a write that the caller records with the context locked.
  void begin(const Context::Lock& lock) noexcept;
  void end(const Context::Lock& lock) noexcept;
  // Keeps what is pending within bounds. Called without the lock.
  void finish();

 private:
  // Returns false if the write stands.
  bool undo() noexcept;

  Context& context_;
  const Ref<Cell>& cell_;
  ValueRef earlier_, written_;
  bool is_repeatable_ = false;
  Context::Excess excess_ = Context::Excess::NOTHING;
};

template <class Body>
void record_write(Context& context, const Ref<Cell>& cell, Body&& body) {
  Write one(context, cell);
  one.record(std::forward<Body>(body));
  one.finish();
}

// Records with the context locked, makes the handle, and keeps what is pending within bounds.
template <class Body>
void record(const Ref<Context>& context, cucore_array** out, Body&& body) {
  clear(out);
  require(out, "out");
  Ref<ArrayObject> object;
  Context::Excess excess{};
  {
    const Context::Lock lock(*context);
    object = make<ArrayObject>(context, body(lock.graph()));
    excess = context->excess(*object->cell(), lock);
  }
  context->after_recording(object->cell(), excess);
  *out = wrap(object);
}

}  // namespace cucore::array
