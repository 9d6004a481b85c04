// SPDX-License-Identifier: Apache-2.0
#include "array/capi/guard.hpp"

#include "client/reporter.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

constexpr char LIBRARY[] = "libcucore-array";
constexpr char ORIGIN[] = "cucore-array";

int32_t ordinal_of(const Context& context) {
  return cucore_device_ordinal(context.settings().device.get());
}

constexpr uint32_t KNOWN_BOUNDS = 8;  // of cucore_array_index::given

Item item_of(const cucore_array_index& item, const ArrayObject& x, std::vector<Guest>* guests) {
  switch (item.kind) {
    case CUCORE_ARRAY_INDEX_INTEGER:
      return {{.kind = IndexKind::INTEGER, .integer = item.start}};
    case CUCORE_ARRAY_INDEX_NEWAXIS:
      return {{.kind = IndexKind::NEW_AXIS}};
    case CUCORE_ARRAY_INDEX_ELLIPSIS:
      return {{.kind = IndexKind::ELLIPSIS}};
    case CUCORE_ARRAY_INDEX_SLICE:
      break;
    case CUCORE_ARRAY_INDEX_ARRAY: {
      const ArrayObject& array = use(item.array, "items.array");
      const Guest& guest = guests->emplace_back(array, x.context(), "items.array");
      Index index{.kind = IndexKind::ARRAY};
      if (item.given & KNOWN_BOUNDS) index.slice = {item.start, item.stop, {}};
      return {index, &guest.array()};
    }
    default:
      throw Error(Status::INVALID_ARGUMENT,
                  concat("the kind of an index is ", int{item.kind}, "; expected 1 to 5"));
  }
  Index index{.kind = IndexKind::SLICE};
  if (item.given & 1) index.slice.start = item.start;
  if (item.given & 2) index.slice.stop = item.stop;
  if (item.given & 4) index.slice.step = item.step;
  return {index};
}

}  // namespace

Guest::Guest(const ArrayObject& array, Context& context, const char* argument)
    : array_(&array.array()) {
  if (&array.context() == &context) return;
  const int32_t home = ordinal_of(context), other = ordinal_of(array.context());
  if (home != other)
    throw Error(Status::INVALID_ARGUMENT, concat(argument, ": the array is on device ", other,
                                                 ", and the operation on device ", home,
                                                 "; copy the array to the context of the others"));
  copy_ = std::make_unique<HeldArray>(context, context.from_context(array.context(), *array_));
}

// Without memory for the error, the caller gets another one, whose status the call returns too.
cucore_status report(cucore_error** error) noexcept {
  return client::report<LIBRARY, ORIGIN>(error);
}

Dims shape_of(const int64_t* shape, size_t ndim) {
  if (ndim > Dims::MAX)
    throw Error(Status::SHAPE,
                concat("the shape has ", ndim, " axes; expected at most ", Dims::MAX));
  Dims dims(require_array(shape, ndim, "shape"));
  count_of(dims);
  return dims;
}

std::span<const int32_t> axes_of_caller(const int32_t* axes, size_t count) {
  return require_array(axes, count, "axes");
}

Dtype dtype_of_caller(cucore_array_dtype dtype, const char* argument) {
  if (!is_dtype(dtype))
    throw Error(Status::INVALID_ARGUMENT,
                concat(argument, " is ", int{dtype}, "; expected 1 to 15"));
  return static_cast<Dtype>(dtype);
}

const Op& op_of_caller(int32_t number) {
  const Op* op = find_op(number);
  if (!op)
    throw Error(Status::INVALID_ARGUMENT,
                concat("op is ", number, "; expected a number of cucore_array_op"));
  return *op;
}

const Op& elementwise_of_caller(int32_t number, size_t arity) {
  const Op& op = op_of_caller(number);
  if (op.family == Family::REDUCE || op.family == Family::SCAN || op.arity != arity ||
      op.outputs != 1 || op.scalars != 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("op is ", op.name, "; expected an operation of ", arity,
                       arity == 1 ? " operand" : " operands", " and one result"));
  return op;
}

Number number_of(const cucore_array_scalar& scalar) {
  if (scalar.kind < CUCORE_ARRAY_SCALAR_BOOL || scalar.kind > CUCORE_ARRAY_SCALAR_COMPLEX)
    throw Error(Status::INVALID_ARGUMENT,
                concat("the kind of a number is ", int{scalar.kind}, "; expected 1 to 5"));
  return {.kind = static_cast<NumberKind>(scalar.kind),
          .integer = scalar.integer,
          .real = scalar.real,
          .imag = scalar.imag};
}

std::vector<Item> items_of(const cucore_array_index* items, size_t count, const ArrayObject& x,
                           std::vector<Guest>* guests) {
  std::vector<Item> result;
  for (const cucore_array_index& item : require_array(items, count, "items"))
    result.push_back(item_of(item, x, guests));
  return result;
}

std::vector<Array> arrays_of(const cucore_array* const* arrays, size_t count,
                             Ref<Context>* context) {
  std::vector<Array> result;
  const ArrayObject* first = nullptr;
  for (const cucore_array* array : require_array(arrays, count, "arrays")) {
    const ArrayObject& object = use(array, "arrays");
    if (!first) first = &object;
    result.push_back(Guest(object, first->context(), "arrays").array());
  }
  if (!first) throw Error(Status::INVALID_ARGUMENT, "arrays is empty");
  *context = first->context_ref();
  return result;
}

Operands::Operands(const cucore_array_operand* operands, size_t count, Ref<Context> context)
    : context_(std::move(context)) {
  for (const cucore_array_operand& operand : require_array(operands, count, "operands")) {
    if (operand.array)
      add(operand.array, "operands");
    else
      inputs_[count_++] = {.number = number_of(operand.scalar)};
  }
}

Operands::Operands(std::initializer_list<const cucore_array*> arrays) {
  constexpr const char* NAMES[] = {"x", "y", "z"};
  size_t at = 0;
  for (const cucore_array* array : arrays) add(array, NAMES[at++]);
}

Write::~Write() {
  const Context::Lock lock(context_);
  earlier_ = written_ = {};
}

void Write::begin(const Context::Lock&) noexcept { earlier_ = cell_->value(); }

// Elements that nothing uses are freed for the new ones: the write does not read them, and has the
// same result if it is repeated.
void Write::end(const Context::Lock& lock) noexcept {
  written_ = cell_->value();
  excess_ = context_.excess(*cell_, lock);
  is_repeatable_ = !earlier_->is_pending() && earlier_->users().empty() && earlier_->cells() == 0;
  if (is_repeatable_ || excess_ == Context::Excess::NOTHING) earlier_ = {};
}

void Write::finish() {
  try {
    context_.after_recording(cell_, excess_);
  } catch (...) {
    if (undo()) throw;
  }
}

// The write stands if its elements exist, if another thread has written since, or if the memory of
// the earlier elements was taken. The failure is then that of other values, or comes again when
// the elements are needed.
bool Write::undo() noexcept {
  const Context::Lock lock(context_);
  if (cell_->value() != written_ || !written_->is_pending()) return false;
  if (is_repeatable_) return true;
  if (earlier_->state() == ValueState::MOVED) return false;
  cell_->set(std::move(earlier_));
  return true;
}

void Operands::add(const cucore_array* array, const char* argument) {
  const ArrayObject& object = use(array, argument);
  if (!context_) context_ = object.context_ref();
  const Array* found = &object.array();
  if (context_ != object.context_ref())
    found = &guests_.emplace_back(object, *context_, argument).array();
  inputs_[count_++] = {.array = found};
}

}  // namespace cucore::array
