# SPDX-License-Identifier: Apache-2.0
"""Pools: the memory of buffers, its numbers, and trims."""
import pytest

import cucore

MIB = 1 << 20


def test_buffers_of_a_pool_are_counted(device, stream):
    pool = cucore.MemoryPool(device)
    first, second = cucore.Buffer.from_pool(pool, MIB, stream), cucore.Buffer.from_pool(pool, 64)
    assert first.pool == second.pool == pool and pool.device == device
    first.fill(b"\7", MIB, stream)
    out = bytearray(1)
    first.read(out, stream, MIB - 1)
    assert out == b"\7"
    counted = pool.statistics()
    assert (counted.allocations, counted.live, counted.largest, counted.keep) == (2, 2, MIB, 0)
    assert counted.reserved >= counted.used >= MIB + 64
    first.close()
    second.close()
    device.synchronize()
    counted = pool.statistics()
    assert (counted.used, counted.frees, counted.live) == (0, 2, 0) and counted.reserved >= MIB
    pool.trim()  # the peak contains blocks that streams keep
    device.synchronize()
    pool.trim()
    pool.reset_peaks()
    counted = pool.statistics()
    assert (counted.used_peak, counted.reserved) == (0, 0)


def test_a_pool_keeps_what_it_is_told(device, stream):
    pool = cucore.MemoryPool(device, keep=-1, reuse_internal=False)
    for keep in (-1, 0, 4 * MIB):
        pool.set_keep(keep)
        cucore.Buffer.from_pool(pool, MIB, stream).close()
        stream.synchronize()
        counted = pool.statistics()
        assert counted.keep == keep and (keep == -1 or counted.reserved >= MIB)
    with pytest.raises(ValueError, match="keep is -2"):
        pool.set_keep(-2)
    assert cucore.MemoryPool(device, max_size=8 * MIB).statistics().max_size == 8 * MIB


def test_a_device_takes_memory_from_its_pool(device, stream):
    of_driver, own = device.pool, cucore.MemoryPool(device)
    assert of_driver != own
    try:
        device.set_pool(own)
        assert device.pool == own and cucore.Buffer(device, 64, stream).pool == own
        assert own.statistics().allocations == 1
    finally:
        device.set_pool(None)
    assert device.pool.native == of_driver.native == cucore.Buffer(device, 64, stream).pool.native
    assert cucore.MemoryPool.from_native(device, own.native).native == own.native


def test_a_pool_serves_bare_addresses(device, stream):
    pool = cucore.MemoryPool(device)
    address = pool.allocate(64, stream)
    assert address and pool.statistics().live == 1
    pool.free(address, 64, stream)
    assert pool.statistics().live == 0
    with pytest.raises(ValueError, match="size is 0"):
        pool.allocate(0, stream)
    with pytest.raises(cucore.InvalidStateError, match="has no pool"):
        cucore.Buffer.pinned(device, 16).pool
