# SPDX-License-Identifier: Apache-2.0
"""Seeds of the target device_objects: a valid use of each kernel. An input is the structure Input of the target, whose
map is the structure TensorMap of the CPU device."""
import struct

MAGIC = 0x6D547543
LOAD, LOAD_IM2COL, STORE, STORE_IM2COL, REDUCE, PREFETCH, PRODUCT = range(7)
U32, F16 = 2, 6


def tensor_map(rank, kind=U32, box=(8, 4, 2, 1, 1), swizzle=0, interleave=0, step=1, **pixels):
    sizes = (16, 6, 5, 3, 2)
    element = 2 if kind == F16 else 4
    strides = [sizes[0] * element]
    for size in sizes[1:4]:
        strides.append(strides[-1] * size)
    dimensions = [size - 1 if k < rank else 0 for k, size in enumerate(sizes)]
    boxes = [extent if k < rank and not pixels else 0 for k, extent in enumerate(box)]
    steps = [step if k < rank else 0 for k in range(5)]
    strides = [stride if k < rank - 1 else 0 for k, stride in enumerate(strides)]
    return struct.pack("<I4BQ4Q5I5H5B4Bx3h3h2H", MAGIC, kind, rank, interleave, swizzle, 256, *strides, *dimensions, *boxes, *steps,
                       0, 0, 1 if pixels else 0, 0, *pixels.get("lower", (0, 0, 0)), *pixels.get("upper", (0, 0, 0)),
                       pixels.get("channels", 0), pixels.get("count", 0))


def one(kernel, rank, map_bytes=b"", coordinates=(0, 0, 0, 0, 0), place=0, descriptors=(0, 0)):
    head = struct.pack("<2B3H5iI2Q", kernel, rank - 1, 0, 0, 0, *coordinates, place, *descriptors)
    return head + map_bytes


def write(folder):
    seeds = []
    for kernel in (LOAD, STORE, REDUCE, PREFETCH):
        for rank in range(1, 6):
            seeds.append(one(kernel, rank, tensor_map(rank), (4, 1, 1, 0, 0), 1024))
        seeds.append(one(kernel, 2, tensor_map(2, F16, (16, 4, 1, 1, 1), swizzle=1), (-8, 4, 0, 0, 0)))
        seeds += [one(kernel, 4, tensor_map(4, U32, (4, 5, 4, 1, 1), swizzle, interleave), (0, 1, 0, 0, 0), 15 << 10)
                  for swizzle in (1, 3) for interleave in (1, 2)]
    for kernel in (LOAD_IM2COL, STORE_IM2COL):
        pixels = {"lower": (-1, -1, 0), "upper": (-1, -1, 0), "channels": 8, "count": 20}
        seeds.append(one(kernel, 4, tensor_map(4, F16, **pixels), (8, 1, 0, 0, 0)))
        pixels = {"lower": (-1, 0, 0), "upper": (0, -1, 0), "channels": 8, "count": 20}
        seeds += [one(kernel, rank, tensor_map(rank, step=2, swizzle=1, **pixels), (4, 1, 0, 0, 0)) for rank in (3, 4, 5)]
        seeds.append(one(kernel, 4, tensor_map(4, interleave=1, **pixels), (1, 2, 1, 0, 0)))
    # Rows of 128 bytes, and of a part of it, at a place that is not a multiple of the swizzle's rows.
    for kernel in (STORE, REDUCE):
        seeds += [one(kernel, 3, tensor_map(3, U32, (extent, 4, 2, 1, 1), swizzle, step=step), (-4, 1, 0, 0, 0), 384)
                  for swizzle, extent, step in ((1, 8, 1), (2, 8, 3), (3, 16, 2), (4, 32, 1), (5, 32, 2), (6, 32, 1))]
    for form in range(5):
        seeds.append(one(PRODUCT, form + 1, descriptors=(0x0000_0020_0010_0000, 0x0000_0020_0010_0080)))
    for number, seed in enumerate(seeds):
        (folder / f"{number}.bin").write_bytes(seed)
