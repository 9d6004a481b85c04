// SPDX-License-Identifier: Apache-2.0
// The types of generated kernels. No header is included, so that a compile needs no folder.
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define INFINITY __int_as_float(0x7f800000)
#define INF_F32 __int_as_float(0x7f800000)
#define NAN_F32 __int_as_float(0x7fc00000)
#define INF_F64 __longlong_as_double(0x7ff0000000000000ll)
#define NAN_F64 __longlong_as_double(0x7ff8000000000000ll)
template <class T> __device__ bool truth(T x) { return x != 0; }
