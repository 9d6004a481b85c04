// SPDX-License-Identifier: Apache-2.0
// CUDA's functions of f32 and f64 under one name.
namespace m {

#define UNARY(name)                                        \
  __device__ f32 name(f32 x) { return ::name##f(x); }      \
  __device__ f64 name(f64 x) { return ::name(x); }
#define BINARY(name)                                               \
  __device__ f32 name(f32 x, f32 y) { return ::name##f(x, y); }    \
  __device__ f64 name(f64 x, f64 y) { return ::name(x, y); }
UNARY(asinh)
UNARY(atan)
UNARY(cos)
UNARY(cosh)
UNARY(exp)
UNARY(exp2)
UNARY(expm1)
UNARY(fabs)
UNARY(floor)
UNARY(log)
UNARY(log1p)
UNARY(sin)
UNARY(sinh)
UNARY(sqrt)
UNARY(tan)
BINARY(atan2)
BINARY(copysign)
BINARY(fmax)
BINARY(fmin)
BINARY(fmod)
BINARY(hypot)
#undef UNARY
#undef BINARY
__device__ f32 fma(f32 x, f32 y, f32 z) { return ::fmaf(x, y, z); }
__device__ f64 fma(f64 x, f64 y, f64 z) { return ::fma(x, y, z); }

}  // namespace m
