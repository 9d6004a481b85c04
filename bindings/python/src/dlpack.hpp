// SPDX-License-Identifier: Apache-2.0
// The structs of DLPack, version 0.8 of its ABI: how array libraries of Python exchange memory.
#pragma once

#include <cstdint>

namespace cucore::bind {

enum DLDeviceType : int32_t { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;  // 1: unsigned
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row after row
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor* self);
};

}  // namespace cucore::bind
