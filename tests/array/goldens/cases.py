# SPDX-License-Identifier: Apache-2.0
"""The operands and layouts of the goldens. Recorded by NumPy 2 (record_values.py), compared with cucore.array (test_values.py).

Each function works on arrays of both, so that a golden and its comparison have the same operands in the same layout.
"""
import numpy as np

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64",
          "complex128")
SHAPE, LENGTH = (4, 6), 25  # the first element of the buffer is left out by the layouts with an offset
#: Views of a buffer of LENGTH elements; the expressions are those of NumPy and of cucore.array.
LAYOUTS = {
    "contiguous": lambda flat, xp: flat[:24].reshape(SHAPE),
    "transposed": lambda flat, xp: flat[:24].reshape(SHAPE).T,
    "negative": lambda flat, xp: flat[:24].reshape(SHAPE)[::-1, ::-2],
    "broadcast": lambda flat, xp: xp.broadcast_to(flat[:24].reshape(SHAPE)[1], (3, 6)),
    "offset": lambda flat, xp: flat[1:].reshape(SHAPE),
    "no axes": lambda flat, xp: flat[5:6].reshape(()),
    "empty": lambda flat, xp: flat[:24].reshape(SHAPE)[:0],
    "one": lambda flat, xp: flat[:24].reshape(SHAPE)[1:2, 2:3],
}
#: Functions whose second operand is a count of bits or an exponent.
COUNTED = ("bitwise_left_shift", "bitwise_right_shift", "ldexp", "power", "float_power")
PRODUCTS = ("prod", "cumulative_prod")


def noise(count, seed):
    """Integers from 0 to 63 that no version of NumPy changes."""
    return np.array([(at + 1) * (2654435761 + 40503 * seed) % (1 << 32) >> 26 for at in range(count)], dtype=np.int64)


def flat_operand(name, family, dtype, number):
    """The buffer of operand `number` of a function, as an array of NumPy."""
    wanted, raw = np.dtype(dtype), noise(LENGTH, number)
    if name in PRODUCTS:  # powers of two, whose products are exact
        return np.choose(raw % 4, [1, -1 if wanted.kind in "ifc" else 1, 2, 0.5 if wanted.kind in "fc" else 3]).astype(wanted)
    if wanted.kind == "b":
        return raw % 2 == 1
    if number == 1 and name in COUNTED:
        return (raw % 6).astype(wanted)
    if wanted.kind == "c":
        return ((raw - 31.25) / 8 + 1j * (noise(LENGTH, number + 7) - 30.75) / 8).astype(wanted)
    if wanted.kind == "f":
        made = ((raw - 31) / 8).astype(wanted)
        if family in ("unary", "binary"):
            made[[3 + number, 8 + number, 13 + number, 18 + number]] = np.nan, np.inf, -np.inf, -0.0
        return made
    made = (raw - (31 if wanted.kind == "i" else 0)).astype(wanted)
    if family in ("unary", "binary"):
        limits = np.iinfo(wanted)
        made[[3 + number, 8 + number]] = limits.min, limits.max
    return made


def operands(name, family, dtype):
    """The buffers of all operands."""
    count = {"binary": 2, "more": 3}.get(family, 1)
    if name == "where":
        return [flat_operand(name, family, "bool", 0), flat_operand(name, family, dtype, 1), flat_operand(name, family, dtype, 2)]
    made = [flat_operand(name, family, dtype, number) for number in range(count)]
    if name == "ldexp" and made[1].dtype.kind == "f":
        made[1] = made[1].astype("int32")
    return made


def results(function, family, views):
    """The results of a function: one, both of divmod() and the like, or those of all axes and of the last one."""
    if family in ("reduce", "scan"):
        made = [function(*views)] if family == "reduce" else []
        return made + ([function(*views, axis=-1)] if views[0].ndim else [])
    made = function(*views)
    return list(made) if isinstance(made, tuple) else [made]
