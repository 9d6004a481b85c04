# SPDX-License-Identifier: Apache-2.0
"""Seeds of the target npy: a file of each version, and of some types and shapes."""
import struct

ROWS = (
    (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", 8),
    (2, "{'descr': '>c16', 'fortran_order': True, 'shape': (1,), }", 16),
    (3, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 1),
    (1, "{\"shape\": (3L,), \"descr\": '<V2', \"fortran_order\": False}", 6),
)


def write(folder):
    for at, (version, header, size) in enumerate(ROWS):
        length = struct.pack("<H" if version == 1 else "<I", len(header))
        (folder / f"{at}.npy").write_bytes(b"\x93NUMPY" + bytes((version, 0)) + length + header.encode() + bytes(range(size)))
