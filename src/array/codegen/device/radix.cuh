// SPDX-License-Identifier: Apache-2.0
// A stable radix sort of long rows, 8 bits a pass. A block has a chunk of 8 tiles of 4096 elements.
// Elements of a tile belong to 8 warps of 16 x 32 neighbours.

// The bits of a key in the order of NumPy: -0 equals +0, and each NaN is the largest number.
template <class K, class B, B FLIPPED> struct IntegerBits {
  typedef B Bits;
  __device__ static B of(K key) { return B(B(key) ^ FLIPPED); }
};
template <class K> struct RadixKey;
template <> struct RadixKey<bool> : IntegerBits<bool, u8, 0> {};
template <> struct RadixKey<u8> : IntegerBits<u8, u8, 0> {};
template <> struct RadixKey<i8> : IntegerBits<i8, u8, 0x80> {};
template <> struct RadixKey<u16> : IntegerBits<u16, u16, 0> {};
template <> struct RadixKey<i16> : IntegerBits<i16, u16, 0x8000> {};
template <> struct RadixKey<u32> : IntegerBits<u32, u32, 0> {};
template <> struct RadixKey<i32> : IntegerBits<i32, u32, 0x80000000u> {};
template <> struct RadixKey<u64> : IntegerBits<u64, u64, 0> {};
template <> struct RadixKey<i64> : IntegerBits<i64, u64, 0x8000000000000000ull> {};
template <> struct RadixKey<f32> {
  typedef u32 Bits;
  __device__ static u32 of(f32 key) {
    const u32 bits = key == 0 ? 0u : __float_as_uint(key);
    return key != key ? ~0u : bits >> 31 ? ~bits : bits | 0x80000000u;
  }
};
template <> struct RadixKey<f64> {
  typedef u64 Bits;
  __device__ static u64 of(f64 key) {
    const u64 bits = key == 0 ? 0ull : u64(__double_as_longlong(key));
    return key != key ? ~0ull : bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
  }
};
template <bool DESCENDING, class K> __device__ u32 digit_of(K key, int pass) {
  typedef typename RadixKey<K>::Bits B;
  const B bits = RadixKey<K>::of(key);
  return u32((DESCENDING ? B(~bits) : bits) >> (8 * pass)) & 255u;
}

// The lanes of the warp with the same digit.
__device__ u32 same_digit(u32 digit) {
  u32 lanes = ~0u;
#pragma unroll
  for (int bit = 0; bit < 8; ++bit) {
    const u32 set = __ballot_sync(~0u, digit >> bit & 1);
    lanes &= digit >> bit & 1 ? set : ~set;
  }
  return lanes;
}

// Adds the elements of a tile to the counts of each warp. The elements of a lane are 32 apart.
template <bool DESCENDING, class K> __device__ void count_digits(const K* keys, u32* counts, int left, int pass) {
#pragma unroll
  for (int e = 0; e < 16; ++e)
    if (int(threadIdx.x) / 32 * 512 + e * 32 + int(threadIdx.x) % 32 < left)
      atomicAdd(counts + threadIdx.x / 32 * 256 + digit_of<DESCENDING>(keys[e], pass), 1u);
}

// The sum of the 256 numbers of the threads before this one. `shared` has room for 8 numbers.
template <class T> __device__ T sum_before(T own, T* shared, T* total) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T sum = own;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(~0u, sum, distance);
    if (lane >= distance) sum += other;
  }
  __syncthreads();
  if (lane == 31) shared[warp] = sum;
  __syncthreads();
  T before = 0, all = 0;
#pragma unroll
  for (int at = 0; at < 8; ++at) {
    if (at == warp) before = all;
    all += shared[at];
  }
  *total = all;
  return before + sum - own;
}

// Counts of one digit in all chunks become the numbers of such elements in earlier chunks.
template <class I> __device__ void scan_counts(I* counts, I chunks, I* totals, I* shared) {
  I carry = 0;
  for (I first = 0; first < chunks; first += 256) {
    const I at = first + I(threadIdx.x);
    I all;
    const I before = sum_before<I>(at < chunks ? counts[at] : I(0), shared, &all);
    if (at < chunks) counts[at] = carry + before;
    carry += all;
  }
  if (threadIdx.x == 0) *totals = carry;
}

// Moves a chunk to its places in the order of a digit. `offsets` has the place of the next element
// of each digit, and `put` writes the element that a place gets.
template <bool DESCENDING, bool PLACES, class K, class I, class Put>
__device__ void scatter_chunk(const K* from, const I* from_places, I count, int pass, I* offsets, u32* counts, u32* starts, I* shared, void* memory, const Put& put) {
  K* const tile_keys = (K*)memory;
  I* const tile_places = (I*)memory;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (I tile = 0; tile < count; tile += 4096) {
    const int left = count - tile < 4096 ? int(count - tile) : 4096;
    K keys[16];
    u32 ranks[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const int at = warp * 512 + e * 32 + lane;
      keys[e] = at < left ? from[tile + at] : K();
    }
    for (int at = threadIdx.x; at < 2048; at += 256) counts[at] = 0;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) {  // elements that do not exist come last
      const u32 digit = warp * 512 + e * 32 + lane < left ? digit_of<DESCENDING>(keys[e], pass) : 255u;
      const u32 lanes = same_digit(digit);
      u32* const next = counts + warp * 256 + digit;
      ranks[e] = *next + __popc(lanes & ((1u << lane) - 1));
      __syncwarp();
      if (__ffs(lanes) - 1 == lane) *next += __popc(lanes);
      __syncwarp();
    }
    __syncthreads();
    u32 all = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      const u32 own = counts[w * 256 + threadIdx.x];
      counts[w * 256 + threadIdx.x] = all;
      all += own;
    }
    I total;
    const u32 start = u32(sum_before<I>(I(all), shared, &total));
    starts[threadIdx.x] = start;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const u32 digit = warp * 512 + e * 32 + lane < left ? digit_of<DESCENDING>(keys[e], pass) : 255u;
      ranks[e] += counts[warp * 256 + digit] + starts[digit];
    }
#pragma unroll
    for (int e = 0; e < 16; ++e) tile_keys[ranks[e]] = keys[e];
    __syncthreads();
    I places[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) {
      const int at = e * 256 + threadIdx.x;
      if (at >= left) break;
      const K key = tile_keys[at];
      const u32 digit = digit_of<DESCENDING>(key, pass);
      places[e] = offsets[digit] + I(at) - I(starts[digit]);
      put.key(places[e], key);
    }
    if (PLACES) {
      __syncthreads();
#pragma unroll
      for (int e = 0; e < 16; ++e) {
        const int at = warp * 512 + e * 32 + lane;
        tile_places[ranks[e]] = at < left ? from_places[tile + at] : I(0);
      }
      __syncthreads();
#pragma unroll
      for (int e = 0; e < 16; ++e) {
        const int at = e * 256 + threadIdx.x;
        if (at >= left) break;
        put.place(places[e], tile_places[at]);
      }
    }
    __syncthreads();
    offsets[threadIdx.x] += I(all);
    __syncthreads();
  }
}
