// SPDX-License-Identifier: Apache-2.0
// The public ABI of DLPack 1.0 (dmlc/dlpack, include/dlpack/dlpack.h): structs that libraries pass
// to each other. They are declared here, because CUDA does not have the header.
#pragma once

#include <cstdint>

namespace cucore::array::dlpack {

constexpr int32_t CPU = 1, CUDA = 2, CUDA_HOST = 3, CUDA_MANAGED = 13;                 // devices
constexpr uint8_t INT = 0, UINT = 1, FLOAT = 2, BFLOAT = 4, COMPLEX = 5, BOOLEAN = 6;  // types
constexpr uint64_t READ_ONLY = 1, IS_COPIED = 2;                                       // flags
constexpr uint32_t MAJOR = 1, MINOR = 0;

struct Device {
  int32_t type, id;
};

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; NULL: the last axis is consecutive
  uint64_t byte_offset;
};

struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed* self);
};

struct ManagedVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned* self);
  uint64_t flags;
  Tensor tensor;
};

}  // namespace cucore::array::dlpack
