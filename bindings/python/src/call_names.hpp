// SPDX-License-Identifier: Apache-2.0
// The names of calls in Python's own messages about arguments: Buffer() and Buffer.write(), where
// SWIG writes new_Buffer and Buffer_write.
#pragma once

#include <cstddef>

#include "object.hpp"

namespace cucore::bind {

// A format of PyArg_ParseTupleAndKeywords: "OO|O:Buffer_write".
template <size_t SIZE>
struct CallFormat {
  char text[SIZE]{};

  constexpr CallFormat(const char (&given)[SIZE]) {
    size_t from = 0, to = 0;
    while (given[from] != '\0' && given[from] != ':') text[to++] = given[from++];
    if (given[from] != '\0') text[to++] = given[from++];
    bool is_method = given[from] >= 'A' && given[from] <= 'Z';
    if (is_constructor(given + from)) from += 4;
    for (; given[from] != '\0'; ++from) {
      const bool is_separator = is_method && given[from] == '_';
      text[to++] = is_separator ? '.' : given[from];
      if (is_separator) is_method = false;
    }
  }

 private:
  static constexpr bool is_constructor(const char* name) {
    return name[0] == 'n' && name[1] == 'e' && name[2] == 'w' && name[3] == '_';
  }
};

// PyArg_ParseTupleAndKeywords with the names of users.
template <CallFormat FORMAT, class... Results>
int parse_call(PyObject* arguments, PyObject* keywords, char** names, Results... results) {
  static constexpr CallFormat KEPT = FORMAT;
  return PyArg_ParseTupleAndKeywords(arguments, keywords, KEPT.text, names, results...);
}

template <CallFormat NAME>
const char* call_name() {
  static constexpr CallFormat KEPT = NAME;
  return KEPT.text + 1;
}

}  // namespace cucore::bind
