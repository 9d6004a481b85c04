// SPDX-License-Identifier: Apache-2.0
// Converts between Python's values and C's, for the typemaps.
#pragma once

#include <Python.h>
#include <cucore.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "handle_types.hpp"  // generated
#include "object.hpp"

namespace cucore::bind {

// Text as UTF-8; None is NULL. Refuses NUL characters inside.
class Text {
 public:
  bool open(PyObject* value);
  const char* get() const { return words_; }

 private:
  const char* words_ = nullptr;  // the object's own, which the caller keeps
};

// A path: str, bytes or os.PathLike.
class Path {
 public:
  bool open(PyObject* value);
  const char* get() const { return encoded_ ? PyBytes_AS_STRING(encoded_.get()) : nullptr; }

 private:
  Object encoded_;
};

// A sequence of str; None is empty, one str alone is refused.
class Texts {
 public:
  bool open(PyObject* value);
  const char* const* data() const { return pointers_.empty() ? nullptr : pointers_.data(); }
  size_t size() const { return pointers_.size(); }

 private:
  Object kept_;
  std::vector<const char*> pointers_;
};

// The memory of a buffer exporter, held during the life of this object.
class View {
 public:
  View() = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() {
    if (view_.obj) PyBuffer_Release(&view_);
  }
  bool open(PyObject* exporter, int flags);
  void* data() const { return view_.buf; }
  size_t size() const { return static_cast<size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

enum class EnumClass {
#define CUCORE_ENUM(name) name,
  CUCORE_ENUMS(CUCORE_ENUM)
#undef CUCORE_ENUM
      COUNT
};

void register_enums(PyObject* classes);  // a tuple, in the order above

bool to_number(PyObject* value, const char* what, int& out);
bool to_signed(PyObject* value, const char* what, int64_t least, int64_t most, int64_t& out);
bool to_unsigned(PyObject* value, const char* what, uint64_t most, uint64_t& out);
PyObject* from_enum(EnumClass which, int value);
bool to_toggle(PyObject* value, cucore_toggle& out);

// An integer of C by the name of its parameter.
template <class Number>
bool to_integer(PyObject* value, const char* what, Number& out) {
  if constexpr (std::is_signed_v<Number>) {
    using Limits = std::numeric_limits<Number>;
    int64_t wide = 0;
    if (!to_signed(value, what, Limits::min(), Limits::max(), wide)) return false;
    out = static_cast<Number>(wide);
  } else {
    uint64_t wide = 0;
    if (!to_unsigned(value, what, std::numeric_limits<Number>::max(), wide)) return false;
    out = static_cast<Number>(wide);
  }
  return true;
}

template <class Enum>
bool to_enum(PyObject* value, const char* what, Enum& out) {
  int number = 0;
  if (!to_number(value, what, number)) return false;
  out = static_cast<Enum>(number);
  return true;
}

}  // namespace cucore::bind
