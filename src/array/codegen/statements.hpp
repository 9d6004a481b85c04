// SPDX-License-Identifier: Apache-2.0
// The statements of nodes, which are the same in all families.
#pragma once

#include <functional>
#include <string>

#include "array/codegen/fields.hpp"
#include "array/codegen/form.hpp"

namespace cucore::array {

std::string_view storage_type(Dtype dtype) noexcept;  // of memory: u8 of bool, u16 of float16
// The expression that a kernel computes with, of what it loaded: half precision becomes f32.
std::string loaded(Dtype dtype, std::string_view stored);
std::string stored(Dtype dtype, std::string_view computed);
// The expression in another type, rounded to it.
std::string converted(Dtype from, Dtype to, std::string_view computed);

std::string_view unsigned_type(std::string_view type) noexcept;    // u32 of i32; others themselves
std::string rounded_text(Dtype dtype, std::string_view computed);  // half precision is rounded

// "n7": the variable of a node, per element or per row.
std::string variable(size_t node);

// Declares the variable of a MAP or PART node, and computes it from those of the arguments.
std::string statement(const Kernel& kernel, size_t node);

// The type of the elements that a node reads: a SEARCH reads those that it compares.
Dtype read_dtype(const Kernel& kernel, const Node& node) noexcept;

// Declares the variable of a GATHER or SEARCH node. `start` is the position of its access, and `in`
// is false for an element that does not exist. An index that is out of range is reported, and the
// nearest one taken.
std::string gathered(const Kernel& kernel, size_t node, const std::string& start,
                     std::string_view in);

// Declares "x0": the position to which store 0 writes the element. Expects indices.
std::string indexed_position(const Kernel& kernel, size_t store, const std::string& start,
                             std::string_view in);

std::string access_name(size_t node);  // "a3": the access of a node, in the parameters
std::string store_name(size_t store);  // "w0"
std::string digit_name(size_t axis);   // "d1": the index on an axis of the space

// The accesses of all nodes and stores, the constants, and the parameters of operations.
void add_nodes(Fields& fields, const Kernel& kernel, const Form& form, const Addresses& addresses);
void add_number(Fields& fields, bool wide, std::string_view name, int64_t value);

// The address of each access, its strides and sizes.
void add_access(Fields& fields, const Form& form, std::string_view name,
                const AccessForm& access_form, const Access& access, Part part, Dtype dtype,
                uint64_t memory);

// An expression of type I: the position of index 0 of the vector's axis. `digit` returns the
// variable of another axis; the first `axes` count.
std::string position(std::string_view name, const AccessForm& form, size_t axes,
                     const std::function<std::string(size_t)>& digit);
// " + c * p.a3_l": the step to an index of the vector's axis.
std::string along(std::string_view name, const AccessForm& form, std::string_view index);
// The position of an element of an access with an inner view, of its position in the outer one.
std::string divided(std::string_view name, const AccessForm& form, std::string_view position);

// The shared device texts that the body uses, before it.
std::string with_device_texts(const std::string& body);

// Text of the divisor: "div(x, p.u)" of 32 bits multiplies.
struct Divisor {
  uint32_t multiplier, shift, divisor, reserved = 0;
};
Divisor divisor_of(int64_t divisor) noexcept;
void add_divisor(Fields& fields, bool wide, std::string_view name, int64_t divisor);

}  // namespace cucore::array
