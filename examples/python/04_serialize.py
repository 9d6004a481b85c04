# SPDX-License-Identifier: Apache-2.0
"""04: store object code as bytes and restore it, here or in another process. Needs no device."""
import pickle

import cucore

SOURCE = """
__device__ int counter;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
"""

code = cucore.Program(SOURCE).compile()

# snippet: serialize
stored = code.serialize()
restored = cucore.ObjectCode.deserialize(stored)
# end of snippet
print(f"{len(code.data)} bytes of PTX in a container of {len(stored)} bytes")
assert restored.data == code.data
assert pickle.loads(pickle.dumps(code)).serialize() == stored  # so multiprocessing can send it

damaged = bytearray(stored)
damaged[len(damaged) // 2] ^= 1  # a flipped bit: the container is refused with the reason
try:
    cucore.ObjectCode.deserialize(damaged)
except cucore.InvalidCodeError as error:
    print(f"damaged: {error}")

key = cucore.Key(cucore.KeyAlgorithm.HMAC_SHA256, b"a shared secret")
signed = code.serialize(key=key, compression=True)
trusted = cucore.ObjectCode.deserialize(signed, signature=cucore.SignaturePolicy.REQUIRED, verify=[key])
print(f"signed: {trusted.signature.name}, key {trusted.signature_key}")
