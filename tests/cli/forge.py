# SPDX-License-Identifier: Apache-2.0
"""Changes containers as an attacker does: other bytes with matching digests."""
import hashlib
import struct

HEADER, ENTRY = 64, 96


def replace(container, old, new):
    """Returns the container with bytes of its sections replaced by as many others, and with
    matching digests."""
    assert len(old) == len(new) and old in container, (old, new)
    data = bytearray(container.replace(old, new))
    count = struct.unpack_from("<I", data, 24)[0]
    for at in range(HEADER, HEADER + ENTRY * count, ENTRY):
        offset, size = struct.unpack_from("<QQ", data, at + 16)
        data[at + 48:at + 80] = hashlib.sha256(data[offset:offset + size]).digest()
    data[40:56] = bytes(16)
    data[40:56] = hashlib.sha256(data[:HEADER + ENTRY * count]).digest()[:16]
    return bytes(data)
