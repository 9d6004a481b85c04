# SPDX-License-Identifier: Apache-2.0
"""The operations per second of large products by cuBLAS, as JSON: a ceiling to compare a roof with.

The factors are random, as those of the roof. Prints {} without libcublas, libcudart or a device.
"""
import ctypes
import glob
import json
import random
import struct
import sys

SIZE = 8192
ROUNDS = 10
R_32F, R_64F, R_16F, R_16BF = 0, 1, 2, 14
COMPUTE_32F, COMPUTE_32F_TF32, COMPUTE_64F = 68, 77, 70
CASES = {  # rate of the roof: type of the matrices, type of the sums, bytes of an element
    "f32": (R_32F, COMPUTE_32F, 4),
    "f64": (R_64F, COMPUTE_64F, 8),
    "matrix_f16": (R_16F, COMPUTE_32F, 2),
    "matrix_bf16": (R_16BF, COMPUTE_32F, 2),
    "matrix_tf32": (R_32F, COMPUTE_32F_TF32, 4),
}


def library(name):
    folders = ["/usr/local/cuda/lib64", *glob.glob("/usr/local/lib/python3*/*-packages/nvidia/*/lib")]
    for path in [name, *(match for folder in folders for match in glob.glob(f"{folder}/{name}*"))]:
        try:
            return ctypes.CDLL(path)
        except OSError:
            pass
    raise OSError(f"{name} is not installed")


def check(status, what):
    if status != 0:
        raise OSError(f"{what} returns {status}")


class Products:
    def __init__(self):
        self.runtime, self.blas = library("libcudart.so"), library("libcublas.so")
        self.handle = ctypes.c_void_p()
        check(self.blas.cublasCreate_v2(ctypes.byref(self.handle)), "cublasCreate")
        self.matrices = [self.allocate() for _ in range(3)]

    def allocate(self):
        address = ctypes.c_void_p()
        check(self.runtime.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(SIZE * SIZE * 8)), "cudaMalloc")
        return address

    def fill(self, width):
        """Fills the factors with numbers between -1 and 1 of the type."""
        pick = random.Random(1)
        pattern = {2: "<e", 4: "<f", 8: "<d"}[width]
        numbers = b"".join(struct.pack(pattern, pick.uniform(-1, 1)) for _ in range(4099))
        text = (numbers * (SIZE * SIZE * width // len(numbers) + 1))[:SIZE * SIZE * width]
        for matrix in self.matrices[:2]:
            check(self.runtime.cudaMemcpy(matrix, text, ctypes.c_size_t(len(text)), 1), "cudaMemcpy")

    def multiply(self, kind, compute):
        scalar = ctypes.c_double if compute == COMPUTE_64F else ctypes.c_float
        one, zero = scalar(1), scalar(0)
        a, b, c = self.matrices
        check(self.blas.cublasGemmEx(self.handle, 1, 0, SIZE, SIZE, SIZE, ctypes.byref(one), a, kind, SIZE, b, kind, SIZE,
                                     ctypes.byref(zero), c, kind, SIZE, compute, -1), "cublasGemmEx")

    def rate(self, kind, compute, width):
        self.fill(width)
        begin, end = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (begin, end):
            check(self.runtime.cudaEventCreate(ctypes.byref(event)), "cudaEventCreate")
        best = None
        for _ in range(ROUNDS):
            self.runtime.cudaEventRecord(begin, None)
            self.multiply(kind, compute)
            self.runtime.cudaEventRecord(end, None)
            check(self.runtime.cudaEventSynchronize(end), "cudaEventSynchronize")
            time_ms = ctypes.c_float()
            self.runtime.cudaEventElapsedTime(ctypes.byref(time_ms), begin, end)
            best = min(best or time_ms.value, time_ms.value)
        return 2 * SIZE**3 / (best * 1e-3)


def main():
    rates = {}
    try:
        products = Products()
        for name, case in CASES.items():
            rates[name] = products.rate(*case)
    except OSError as error:
        print(f"products.py: {error}", file=sys.stderr)
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
