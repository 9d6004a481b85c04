# SPDX-License-Identifier: Apache-2.0
"""Operators and element-wise functions, compared with NumPy."""
import operator
from fractions import Fraction

import numpy as np
import pytest
from compared import DTYPES, REAL, elements, equal

import cucore
import cucore.array as xp

ARITHMETIC = (operator.add, operator.sub, operator.mul)
COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)


@pytest.mark.parametrize("function", [*ARITHMETIC, *COMPARISONS], ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", ("int8", "uint64", "float32", "complex128"))
def test_binary_operators_are_numpys(function, dtype):
    x, y = elements(dtype, (3, 4)), elements(dtype, (4,), seed=2)
    ours = xp.asarray(x)
    equal(function(ours, xp.asarray(y)), function(x, y))
    equal(function(ours, 3), function(x, 3))
    equal(function(2, ours), function(2, x))


@pytest.mark.parametrize("function", (operator.floordiv, operator.mod, operator.truediv), ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", REAL)
def test_divisions_are_numpys(function, dtype):
    x, y = elements(dtype, (20,)), np.full(20, 3, dtype)
    equal(function(xp.asarray(x), xp.asarray(y)), function(x, y))


@pytest.mark.parametrize("function", (operator.and_, operator.or_, operator.xor), ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", ("bool", "int16", "uint32"))
def test_bits_are_numpys(function, dtype):
    x, y = elements(dtype, (9,)), elements(dtype, (9,), seed=2)
    equal(function(xp.asarray(x), xp.asarray(y)), function(x, y))
    equal(~xp.asarray(x), ~x)


def test_shifts_powers_and_unary_operators():
    x = np.arange(1, 7)
    ours = xp.asarray(x)
    equal(ours << 2, x << 2)
    equal(ours >> xp.asarray([1, 0] * 3), x >> np.array([1, 0] * 3))
    equal(ours**2, x**2)
    equal(2**ours, 2**x)
    equal(abs(-ours), x)
    equal(+ours, x)
    quotient, rest = divmod(ours, 4)
    equal(quotient, x // 4)
    equal(rest, x % 4)


@pytest.mark.parametrize("exponent", (2, 2.0, -1, 0.5, 0, 1, 3))
@pytest.mark.parametrize("dtype", ("float16", "float32", "float64"))
def test_powers_of_numbers_are_numpys(dtype, exponent):
    special = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e4)
    x = np.concatenate((np.random.default_rng(0).standard_normal(100), special)).astype(dtype)
    ours = xp.asarray(x)
    with np.errstate(all="ignore"):
        expected = x**exponent
    equal(ours**exponent, expected, 1e-3 if dtype == "float16" else 1e-6)
    if exponent != 3:
        found = (ours**exponent).numpy()
        assert np.array_equal(found, expected, equal_nan=True)
        assert np.array_equal(np.signbit(found)[found == found], np.signbit(expected)[found == found])
    ours **= exponent
    equal(ours, expected, 1e-3 if dtype == "float16" else 1e-6)


def test_infinite_exponents():
    x = np.array([0.5, -0.5, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, np.inf, -np.inf])
    for exponent in (np.inf, -np.inf):
        with np.errstate(all="ignore"):
            expected = x**exponent
        equal(xp.asarray(x) ** exponent, expected)
        equal(xp.asarray(x) ** xp.asarray(exponent), expected)


def test_squares_of_all_types():
    for dtype in DTYPES[1:]:
        x = elements(dtype, (6,))
        equal(xp.asarray(x) ** 2, x**2)
        equal(xp.power(xp.asarray(x), 2.0), np.power(x, 2.0), 1e-3 if dtype == "float16" else 1e-6)
    equal(xp.power(xp.asarray([4.0, -0.0, -np.inf]), 0.5), np.array([2.0, 0.0, np.inf]))


@pytest.mark.parametrize("number", (True, 3, 2.5, 1 + 2j))
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_have_no_type_of_their_own(dtype, number):
    x = elements(dtype, (6,))
    equal(xp.asarray(x) * number, x * number)


@pytest.mark.parametrize("dtype, number", (("uint8", 256), ("uint8", -1), ("int8", 128), ("int64", 1 << 63), ("uint64", -1)))
def test_integers_out_of_range_are_refused_as_in_numpy_2(dtype, number):
    x = xp.ones(3, dtype=dtype)
    for wrong in (lambda: x + number, lambda: number * x, lambda: xp.add(x, number)):
        with pytest.raises(OverflowError, match=f"the integer {number} is out of range for {dtype}") as raised:
            wrong()
        assert isinstance(raised.value, cucore.InvalidArgumentError)
    with pytest.raises(OverflowError):
        x += number


@pytest.mark.parametrize("number", (300, -1, 1 << 40, 1 << 70, -(1 << 70)))
def test_integers_out_of_range_are_compared_by_value(number):
    x = xp.asarray(np.array([0, 1, 255], "uint8"))
    for function in COMPARISONS:
        assert function(x, number).tolist() == [function(value, number) for value in (0, 1, 255)]


@pytest.mark.parametrize("x, expected", (
    ((np.inf, 0.0), (np.inf, 0.0)), ((-np.inf, np.inf), (-1.0, 0.0)), ((np.inf, np.inf), (np.inf, np.nan)), ((-np.inf, np.nan), (-1.0, 0.0)),
    ((np.inf, np.nan), (np.inf, np.nan)), ((np.nan, 0.0), (np.nan, 0.0)), ((1e-30, 1e-30), (1e-30, 1e-30)),
    ((-0.0, 0.0), (0.0, 0.0))))
def test_expm1_of_complex_numbers_follows_the_standard(x, expected):
    for dtype, tolerance in ((xp.complex64, 1e-6), (xp.complex128, 1e-15)):
        found = xp.expm1(xp.asarray(complex(*x), dtype=dtype)).item()
        np.testing.assert_allclose((found.real, found.imag), expected, rtol=tolerance)
        assert np.signbit(found.real) == np.signbit(expected[0])


def test_in_place_operators_write_the_array():
    x = xp.arange(6)
    view = x[::2]
    same = view
    view += 10
    view *= 2
    assert view is same
    assert x.tolist() == [20, 1, 24, 3, 28, 5]
    with pytest.raises(TypeError, match="float64"):
        x += 0.5


def test_numpy_arrays_and_lists_are_operands():
    x, theirs = xp.arange(3), np.array([10, 20, 30])
    for made in (x + theirs, theirs + x, x + [10, 20, 30], [10, 20, 30] + x):
        equal(made, np.array([10, 21, 32]))
    equal(np.sin(x), np.sin(np.arange(3)), 1e-14)
    equal(np.sum(xp.ones((2, 3)), axis=0), np.full(3, 2.0))
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "text"
    with pytest.raises(TypeError, match=r"add\(\): an operand is neither a number nor an array"):
        xp.add(x, "text")


def test_keywords_of_operations():
    x, out = xp.arange(4, dtype=xp.float32), xp.zeros(4, dtype=xp.float32)
    assert xp.sqrt(x, out=out) is out
    equal(out, np.sqrt(np.arange(4, dtype="float32")))
    assert xp.add(x, 10, out=out, where=xp.asarray([True, False, True, False])) is out
    assert out.tolist()[0::2] == [10, 12]
    assert xp.add(x, 1, dtype=xp.float64).dtype is xp.float64
    with pytest.raises(TypeError, match=r"add\(\) has 2 operands; 1 given"):
        xp.add(x)
    with pytest.raises(TypeError, match="'wher' is not a keyword of an element-wise operation; expected out, where or dtype"):
        xp.add(x, x, wher=x)
    with pytest.raises(ValueError, match=r"add\(\): where needs out"):
        xp.add(x, x, where=x > 1)


def test_operations_describe_themselves():
    assert repr(xp.add) == "<operation 'add'>"
    assert (xp.add.nin, xp.add.nout, xp.add.__name__) == (2, 1, "add")
    assert xp.sqrt.__doc__ == "Computes for each element: the square root."
    assert str(xp.add.__signature__) == "(x1, x2, /, *, out=None, where=None, dtype=None)"


def test_conversions_to_python():
    assert (int(xp.asarray(3)), float(xp.asarray(3)), complex(xp.asarray(3)), bool(xp.asarray(0))) == (3, 3.0, 3 + 0j, False)
    assert [10, 11, 12][xp.asarray(1)] == 11
    assert xp.asarray([[7]]).item() == 7
    assert xp.asarray(1 << 63).item() == 1 << 63
    with pytest.raises(TypeError, match="only arrays without axes become a Python float; this one has 1"):
        float(xp.ones(1))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(xp.ones(2))
    with pytest.raises(TypeError, match="only arrays of integers become an index"):
        [1][xp.asarray(0.0)]
    with pytest.raises(TypeError, match="unhashable"):
        hash(xp.ones(1))


@pytest.mark.parametrize("name", [name for name in xp._operations.__all__ if hasattr(np, name) and isinstance(getattr(np, name), np.ufunc)])
def test_each_operation_is_numpys(name):
    ours, theirs = getattr(xp, name), getattr(np, name)
    # Of integers, NumPy 1.24 rounds to floats, refuses negative powers, and has no defined reciprocal of 0.
    for kind in ("float32", "float64") if name in ("floor", "ceil", "trunc", "pow", "power", "reciprocal") else ("int32", "float32", "float64"):
        operands = [elements(kind, (5, 3), seed) for seed in range(1, theirs.nin + 1)]
        try:
            with np.errstate(all="ignore"):
                expected = theirs(*operands)
        except TypeError:
            with pytest.raises(TypeError):
                ours(*map(xp.asarray, operands))
            continue
        made = ours(*map(xp.asarray, operands))
        for one, other in zip(*((made, expected) if isinstance(made, tuple) else ((made,), (expected,)))):
            equal(one, other, 1e-6)


@pytest.mark.parametrize("dtype", ("int8", "int16", "int32", "int64"))
def test_many_operands_of_one_kernel(dtype):
    theirs = [elements(dtype, 7, seed) for seed in range(66)]
    total = xp.asarray(theirs[0])
    for each in theirs[1:]:
        total = total + xp.asarray(each)
    equal(total, np.sum(theirs, axis=0, dtype=dtype))


def test_an_output_with_fewer_axes_is_refused():
    with pytest.raises(ValueError, match=r"positive: the result has the shape \(1,\); out has \(\)"):
        xp.positive(xp.ones(1), out=xp.empty(()))


@pytest.mark.parametrize("x, bounds", (
    ([1, 5, 9], (1.5, 6.5)), ([1.0, 5.0], (-1j, 2 + 1j)), ([1, 2, 3], (2, np.nan)), ([1j, 2 + 1j], (-1, 1)), ([1, 5, 9], (None, 6.5))))
def test_clip_promotes_to_a_higher_kind(x, bounds):
    theirs = np.array(x)
    low, high = bounds
    expected = theirs if low is None else np.maximum(theirs, low)
    equal(xp.clip(xp.asarray(x), low, high), np.minimum(expected, high))


@pytest.mark.parametrize("exponent", (1, 2, 3))
def test_powers_of_complex_infinities(exponent):
    theirs = np.array([complex(0, np.inf), complex(1, np.inf), complex(-2.5, 3)])
    with np.errstate(invalid="ignore"):
        equal(xp.asarray(theirs) ** exponent, theirs**exponent)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_extremes_of_two_zeros(dtype):
    plus, minus = xp.zeros(33, dtype=dtype), xp.full(33, -0.0, dtype=dtype)
    for first in plus, minus:
        for second in plus, minus:
            signs = np.signbit([first[0].item(), second[0].item()])
            for function, expected in ((xp.fmin, signs[0]), (xp.fmax, signs[0]), (xp.minimum, signs.any()), (xp.maximum, signs.all())):
                assert xp.signbit(function(first, second)).tolist() == [expected] * 33


def test_angles_of_zeros_have_their_sign():
    theirs = np.array([-0.0, 0.0, -1, 2, np.nan, -np.nan, -np.inf])
    equal(xp.angle(xp.asarray(theirs)), np.angle(theirs))
    assert xp.angle(xp.asarray([-0.0], dtype=xp.float16)).tolist() == [3.140625]


BITS = {"float16": 11, "bfloat16": 8}  # of the significand


def rounded_once(number, dtype):
    """A normal number of the type, half to even."""
    if number == 0:
        return 0.0
    exponent = len(bin(abs(number.numerator))) - len(bin(number.denominator))
    unit = Fraction(2) ** (exponent - (abs(number) < Fraction(2) ** exponent) - BITS[dtype] + 1)
    return float(round(number / unit) * unit)


@pytest.mark.parametrize("dtype", ("float64", "int32", "uint32", "int64", "uint64"))
def test_conversions_to_bfloat16_round_once(dtype):
    generator = np.random.default_rng(7)
    ties = (257 + 2 * generator.integers(0, 128, 200)) * 2 ** (20 if dtype.endswith("32") else 52)
    near = generator.integers(-1, 2, 200)
    if dtype == "float64":
        theirs = np.ldexp(ties.astype(dtype) / 2**52, generator.integers(-100, 100, 200)) * (1 + near * 2.0**-45)
    else:
        theirs = ties.astype(dtype) + near.astype(dtype)
        theirs = np.concatenate([theirs, np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0], dtype)])
    made = xp.asarray(theirs).astype(xp.bfloat16).astype(xp.float64).tolist()
    assert made == [rounded_once(Fraction(each), "bfloat16") for each in theirs.tolist()]


def test_special_numbers_become_bfloat16():
    theirs = [np.inf, -np.inf, 1e300, -1e300, 0.0, -0.0, 5e-324, np.nan]
    made = xp.asarray(np.array(theirs)).astype(xp.bfloat16).astype(xp.float64).numpy()
    np.testing.assert_array_equal(made, [np.inf, -np.inf, np.inf, -np.inf, 0, -0.0, 0, np.nan])
    assert np.signbit(made[5])


@pytest.mark.parametrize("dtype", BITS)
def test_fma_of_short_types_rounds_once(dtype):
    generator = np.random.default_rng(3)
    count, bits = 3000, BITS[dtype]

    def numbers(least, greatest):
        significands = generator.integers(2 ** (bits - 1), 2**bits, count) * generator.choice([-1, 1], count)
        return np.ldexp(significands.astype("float64"), generator.integers(least, greatest, count) - bits)

    span = (-4, 5) if dtype == "float16" else (-30, 30)
    x, y, z = numbers(*span), numbers(*span), numbers(*span)
    x[0], y[0], z[0] = 2.0**-11 * (1 + 2.0**-10), 1 - 2.0**-10, 1 + 2.0**-10
    if dtype == "bfloat16":
        x[0], y[0], z[0] = 2.0**-4 * (1 + 2.0**-4), 2.0**-4 * (1 + 2.0**-4), 2.0**-100
    made = xp.fma(*(xp.asarray(each).astype(dtype) for each in (x, y, z))).astype(xp.float64).tolist()
    exact = [Fraction(one) * Fraction(two) + Fraction(three) for one, two, three in zip(x, y, z)]
    assert made == [rounded_once(each, dtype) for each in exact]
