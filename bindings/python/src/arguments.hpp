// SPDX-License-Identifier: Apache-2.0
// A launch's arguments: Python's values as the bytes of the kernel's parameters.
#pragma once

#include <Python.h>
#include <cucore.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "kernel_parameters.hpp"
#include "object.hpp"

namespace cucore::bind {

class Arguments {
 public:
  Arguments() = default;
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // Returns false, with the exception set, if a value does not fit its parameter.
  bool pack(const cucore_kernel* kernel, const Parameters& parameters, const cucore_stream* stream,
            PyObject* const* values, size_t count);

  // Packs the argument at an index of so many.
  bool pack_one(const cucore_kernel* kernel, const Parameters& parameters,
                const cucore_stream* stream, size_t index, size_t count, PyObject* value);

  const cucore_argument* data() const { return many_.empty() ? few_ : many_.data(); }
  size_t size() const { return count_; }
  // Returns the object that keeps the memory of an argument; null if the value itself does.
  PyObject* keeper_of(size_t index) const;

 private:
  static constexpr size_t FEW = 16;
  static constexpr size_t INLINE_BYTES = 512;

  cucore_argument few_[FEW];
  std::vector<cucore_argument> many_;
  size_t count_ = 0;
  size_t packed_ = 0;
  alignas(16) unsigned char storage_[INLINE_BYTES];
  size_t used_ = 0;
  std::vector<std::unique_ptr<unsigned char[]>> large_;
  struct Kept {
    size_t index;
    Object keeper;
  };
  std::vector<Kept> kept_;  // objects that must live until the launch is made
  const cucore_stream* stream_ = nullptr;

  friend class ArgumentPacker;
  unsigned char* take(size_t size);
  cucore_argument& next() { return (many_.empty() ? few_ : many_.data())[packed_++]; }
};

// Returns the objects that a stored argument needs: none for a Buffer, which the library keeps. An
// object may export memory that it does not keep itself: a keeper then does.
Object to_keep(PyObject* value, PyObject* keeper);
// Returns a list of these. Null with an exception.
Object list_of(PyObject* const* values, const Arguments& arguments);

}  // namespace cucore::bind
