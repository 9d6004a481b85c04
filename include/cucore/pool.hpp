/// @file cucore/pool.hpp
/// Pools: where the memory of buffers comes from.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_POOL_HPP_INCLUDED
#define CUCORE_POOL_HPP_INCLUDED

#include <cstddef>
#include <cstdint>

#include "bytes.hpp"
#include "stream.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

/// A place where memory is, for the options of a pool.
using Location = cucore_location;

/// A pool of device memory.
class Pool : public Owner<Pool, cucore_pool> {
 public:
  Pool() noexcept {}

  /// Makes a pool that keeps what is freed. The fields of the options are those of C.
  static Returned<Pool> create(const Device& device,
                               const cucore_pool_options& options = CUCORE_POOL_OPTIONS_INIT) {
    return make<Pool>(cucore_pool_create, device.get(), &options);
  }

  /// Wraps a CUmemoryPool that somebody else owns. It must outlive the result.
  static Returned<Pool> from_native(const Device& device, void* native) {
    return make<Pool>(cucore_pool_from_native, device.get(), native);
  }

  Returned<Device> device() const { return make<Device>(cucore_pool_device, get()); }

  /// Allocates memory without a buffer, for allocators that keep bare addresses.
  Returned<Address> allocate(std::size_t size, const Stream& stream) const {
    return value<std::uint64_t, Address>(cucore_pool_allocate, get(), size, stream.get());
  }

  /// Frees memory of allocate() in the order of a stream.
  Returned<void> free(Address address, std::size_t size, const Stream& stream) const {
    return call(cucore_pool_free, get(), address.value(), size, stream.get());
  }

  /// The numbers of the pool.
  Returned<cucore_pool_info> query() const {
    cucore_pool_info out = CUCORE_POOL_INFO_INIT;
    cucore_error* error = nullptr;
    const cucore_status status = cucore_pool_query(get(), &out, &error);
    if (CUCORE_HPP_FAILED(status)) return detail::failed<cucore_pool_info>(status, error);
    return out;
  }

  /// Changes how many bytes stay reserved without use; 0: all, -1: none.
  Returned<void> set_keep(std::int64_t bytes) const {
    return call(cucore_pool_set_keep, get(), bytes);
  }

  /// Sets both peaks to the present numbers.
  Returned<void> reset_peaks() const { return call(cucore_pool_reset_peaks, get()); }

  /// Gives memory without use back to the device, until at most `keep` bytes are reserved.
  Returned<void> trim(std::size_t keep = 0) const { return call(cucore_pool_trim, get(), keep); }

  /// The CUmemoryPool: `native<CUmemoryPool>()`.
  template <class T = void*>
  T native() const noexcept {
    return static_cast<T>(cucore_pool_native(get()));
  }
};

inline Returned<Pool> Device::pool() const { return make<Pool>(cucore_device_pool, get()); }

inline Returned<void> Device::set_pool(const Pool& pool) const {
  return call(cucore_device_set_pool, get(), pool.get());
}

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_POOL_HPP_INCLUDED
