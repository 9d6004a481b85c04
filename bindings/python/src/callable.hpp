// SPDX-License-Identifier: Apache-2.0
// A Python callable that builds object code inside a call of the library.
#pragma once

#include <Python.h>

#include "builder.hpp"
#include "object.hpp"

namespace cucore::bind {

class Callable final : public Builder {
 public:
  // Returns false with an exception set: it cannot be called.
  bool open(PyObject* callable);

  cucore_objectcode* build() override;  // without the interpreter's lock, which it takes meanwhile
  void rethrow() override;              // with it

 private:
  cucore_objectcode* call();

  PyObject* callable_ = nullptr;  // the caller's, who keeps it
  Object type_, value_, traceback_;
};

}  // namespace cucore::bind
