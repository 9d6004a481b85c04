// SPDX-License-Identifier: Apache-2.0
#include "array/text/explain.hpp"

#include <cstring>

#include "array/capi/guard.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

// `size` receives the needed size with the NUL, also if the buffer is too small.
void put_text(const std::string& text, char* buffer, size_t capacity, size_t* size) {
  *size = text.size() + 1;
  if (capacity < *size)
    throw Error(Status::BUFFER_TOO_SMALL,
                concat("capacity is ", capacity, "; the text has ", *size, " bytes with its NUL"));
  std::memcpy(require(buffer, "buffer"), text.c_str(), *size);
}

Explanation explanation_of_caller(cucore_array_explanation what) {
  if (what < CUCORE_ARRAY_EXPLAIN_PLAN || what > CUCORE_ARRAY_EXPLAIN_COUNTS)
    throw Error(Status::INVALID_ARGUMENT, concat("what is ", int{what}, "; expected 1 to 5"));
  return static_cast<Explanation>(what);
}

}  // namespace

extern "C" {

cucore_status cucore_array_explain(const cucore_array* const* arrays, size_t count,
                                   cucore_array_explanation what, char* buffer, size_t capacity,
                                   size_t* size, cucore_error** error) {
  return guard(error, [&] {
    *require(size, "size") = 0;
    const Explanation explanation = explanation_of_caller(what);
    Ref<Context> context;
    std::vector<Ref<Cell>> cells;
    for (const cucore_array* array : require_array(arrays, count, "arrays")) {
      const ArrayObject& self = use(array, "arrays");
      if (context && context != self.context_ref())
        throw Error(Status::INVALID_ARGUMENT, "explain: the arrays belong to several contexts");
      context = self.context_ref();
      cells.push_back(self.cell());
    }
    if (!context) throw Error(Status::INVALID_ARGUMENT, "arrays is empty");
    put_text(explained(*context, cells, explanation), buffer, capacity, size);
  });
}

cucore_status cucore_array_set_name(cucore_array* array, const char* name, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(array, "array");
    const std::string_view text = require(name, "name");
    const Context::Lock lock(self.context());
    self.cell()->set_name(text.empty() ? nullptr : std::make_shared<const std::string>(text));
  });
}

}  // extern "C"
