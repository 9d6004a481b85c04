# SPDX-License-Identifier: Apache-2.0
"""The module that tests of NumPy get in place of numpy: functions of cucore.array under NumPy's names and signatures."""
import functools
import types

import numpy as np

import cucore.array as xp
from arrays import Absent, NdArray, as_dtype, to_numpy, to_ours, to_theirs

# Types, constants, settings and texts, which compute no elements, are those of NumPy.
NUMPY_OWN = frozenset("""BUFSIZE ComplexWarning False_ NINF NZERO PZERO True_ VisibleDeprecationWarning binary_repr base_repr bool_
    byte cdouble clongdouble complex128 complex64 complex_ complexfloating csingle datetime64 double dtype errstate float16 float32 float64
    float_ floating generic geterr half inexact index_exp int16 int32 int64 int8 int_ intc integer intp isscalar issubdtype longcomplex
    longdouble longlong number object_ s_ sctypes seterr short signedinteger single str_ testing timedelta64 typecodes ubyte uint uint16
    uint32 uint64 uint8 uintc uintp ulonglong unsignedinteger ushort void exceptions float128 complex256 obj2sctype iinfo finfo
    broadcast_shapes _NoValue _no_nep50_warning _get_promotion_state _set_promotion_state""".split())
CONSTANTS = {"inf": np.inf, "nan": np.nan, "pi": np.pi, "e": np.e, "newaxis": None, "ndarray": NdArray, "AxisError": IndexError, "euler_gamma": np.euler_gamma, "Inf": np.inf, "NaN": np.nan}
#: Where cucore.array has the standard's name or another one.
RENAMED = {"abs": "abs", "alltrue": "all", "sometrue": "any", "product": "prod", "cumproduct": "cumprod", "around": "round", "round_": "round",
           "rollaxis": None, "max": "max", "amax": "max", "amin": "min"}
KEYWORDS = {"ddof": "correction", "a": None, "out": "out"}
REDUCED = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any"}
SCANNED = {"add": "cumsum", "multiply": "cumprod"}
#: The axis of these is a keyword of cucore.array, and may be positional in NumPy; its position.
AXIS_AT = {"roll": 2, "flip": 1, "take": 2, "take_along_axis": 2, "repeat": 2, "stack": 1, "concatenate": 1, "sort": 1, "argsort": 1,
           "compress": 2, "expand_dims": 1, "squeeze": 1}
#: The dtype of these may be positional in NumPy; its position.
DTYPE_AT = {"zeros": 1, "ones": 1, "empty": 1, "full": 2, "zeros_like": 1, "ones_like": 1, "empty_like": 1, "full_like": 2, "array": 1,
            "asarray": 1, "asanyarray": 1, "ascontiguousarray": 1, "eye": 3, "identity": 1, "arange": 3, "linspace": 5, "sum": 2, "prod": 2,
            "cumsum": 2, "cumprod": 2, "mean": 2, "var": 2, "std": 2}
#: The output of these may be positional in NumPy; its position.
OUT_AT = {"clip": 3, "sum": 3, "prod": 3, "mean": 3, "cumsum": 3, "cumprod": 3, "any": 2, "all": 2, "min": 2, "max": 2, "outer": 2, "dot": 2,
          "round": 2}
#: Facts about a ufunc that NumPy itself has.
UFUNC_FACTS = ("signature", "types", "identity", "nargs", "ntypes")
#: Arguments of NumPy that change memory or classes, and no element.
WITHOUT_EFFECT = ("order", "subok", "casting", "like", "max_work")


def spell(name, arguments, keywords):
    """Arguments as cucore.array spells them."""
    arguments, keywords = list(arguments), dict(keywords)
    for table, word in ((AXIS_AT, "axis"), (DTYPE_AT, "dtype")):
        at = table.get(name)
        if at is not None and len(arguments) > at:
            keywords[word] = arguments.pop(at)
    if name == "tensordot" and len(arguments) == 3:
        keywords["axes"] = arguments.pop()
    if isinstance(keywords.get("where"), (list, tuple)):
        keywords["where"] = _array(keywords["where"])
    if "ddof" in keywords:
        keywords["correction"] = keywords.pop("ddof")
    if keywords.get("keepdims", True) is np._NoValue:
        del keywords["keepdims"]
    dtype = as_dtype(keywords.pop("dtype", None))
    for word in WITHOUT_EFFECT:
        keywords.pop(word, None)
    keywords = {word: to_ours(value) for word, value in keywords.items()}
    if dtype is not None:
        keywords["dtype"] = dtype
    return list(map(to_ours, arguments)), keywords


class Function:
    """A function of cucore.array with NumPy's signature; an operation has the methods of a ufunc besides."""

    def __init__(self, name, ours):
        self.__name__ = name
        self.ours = ours

    def __call__(self, *arguments, **keywords):
        out = keywords.pop("out", None)
        if self.__name__ in OUT_AT and len(arguments) > OUT_AT[self.__name__]:
            arguments, out = list(arguments), arguments[OUT_AT[self.__name__]]
            del arguments[OUT_AT[self.__name__]]
        given, settings = spell(self.__name__, arguments, keywords)
        if isinstance(self.ours, xp.Operation):
            return self._operate(given, settings, out)
        made = to_theirs(self.ours(*given, **settings))
        return made if out is None else stored(made, out)

    def _operate(self, given, settings, out):
        if len(given) > self.nin:  # outputs may be positional
            given, out = given[:self.nin], [None if one is None else NdArray(one) for one in given[self.nin:]]
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        if outs == [None] * len(outs):
            return to_theirs(self.ours(*given, **settings))
        if self.nout > 1:
            raise Absent("out of operations with two results")
        self.ours(*given, out=to_ours(outs[0]), **settings)
        return outs[0]

    def __hash__(self):
        return hash(getattr(np, self.__name__, None))

    def __eq__(self, other):
        return other is self or other is getattr(np, self.__name__, None)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("nin", "nout"):
            return getattr(self.ours, name)
        if name in UFUNC_FACTS and isinstance(getattr(np, self.__name__, None), np.ufunc):
            return getattr(getattr(np, self.__name__), name)
        if name == "reduce" and self.__name__ in REDUCED:
            return functools.partial(self._along, getattr(numpy, REDUCED[self.__name__]))
        if name == "accumulate" and self.__name__ in SCANNED:
            return functools.partial(self._along, getattr(numpy, SCANNED[self.__name__]))
        if name == "outer" and isinstance(self.ours, xp.Operation):
            return self._outer
        raise Absent(f"{self.__name__}.{name}")

    @staticmethod
    def _along(function, x, axis=0, dtype=None, out=None, **keywords):
        out = out[0] if isinstance(out, tuple) else out
        settings = {"dtype": dtype} if dtype is not None else {}
        return function(x, axis=axis, out=out, **settings, **keywords)

    def _outer(self, x, y, **keywords):
        x, y = (numpy.asarray(one) for one in (x, y))
        return self(x[(...,) + (None,) * y.ndim], y, **keywords)


def stored(made, out):
    """NumPy's out= of functions that are not ufuncs is a write."""
    out = out[0] if isinstance(out, tuple) else out
    if made.shape != out.shape:
        raise ValueError(f"the result has the shape {made.shape}; out has {out.shape}")
    out[...] = made
    return out


def _array(value, dtype=None, copy=True, ndmin=0, **_):
    if isinstance(value, NdArray):
        made = xp.asarray(value.ours, dtype=as_dtype(dtype), copy=True if copy else None)
    else:
        made = xp.asarray(to_ours(value), dtype=as_dtype(dtype))
    return NdArray(made if made.ndim >= ndmin else xp.reshape(made, (1,) * (ndmin - made.ndim) + made.shape))


def _asarray(value, dtype=None, **keywords):
    return value if isinstance(value, NdArray) and dtype in (None, value.dtype) else _array(value, dtype, False)


def _types(function):
    def call(*arguments, **keywords):
        try:
            given = [value.ours if isinstance(value, NdArray) else to_ours(value) if isinstance(value, np.generic) else
                     value if isinstance(value, (bool, int, float, complex)) else as_dtype(value) for value in arguments]
        except Absent:
            raise
        return to_theirs(function(*given, **keywords))
    return call


def _astype(x, dtype, copy=True, casting="unsafe", **_):
    if not xp.can_cast(x.ours.dtype, as_dtype(dtype), casting):
        raise TypeError(f"{x.dtype} does not become {dtype} by the rule {casting}")
    return NdArray(xp.astype(x.ours, as_dtype(dtype), copy=copy))


def _copy(x, order="C"):
    return NdArray(xp.copy(to_ours(numpy.asarray(x))))


def _flatten(x, order="C"):
    return _copy((x.transpose() if order in "Ff" else x).reshape(-1))


def _choose(selector, choices, out=None, mode="raise"):
    """Computes by NumPy what tests of clip() expect."""
    made = _array(np.choose(to_numpy(selector), [to_numpy(choice) for choice in choices], mode=mode))
    return made if out is None else stored(made, out)


class Flags:
    """ndarray.flags, as far as cucore.array has them."""

    def __init__(self, ours):
        self.writeable, self.c_contiguous = ours.is_writable, ours.is_contiguous
        self.f_contiguous = xp.permute_dims(ours).is_contiguous
        self.contiguous, self.fnc = self.c_contiguous, self.f_contiguous and not self.c_contiguous

    def __getitem__(self, name):
        return getattr(self, name.lower())

    def __eq__(self, other):
        return vars(self) == vars(other)


class Drawn:
    """NumPy's random numbers as arrays of cucore; inputs of tests."""

    def __init__(self, theirs):
        self._theirs = theirs

    def __getattr__(self, name):
        theirs = getattr(self._theirs, name)
        return drawing(theirs) if callable(theirs) else theirs


def drawing(theirs):
    def call(*arguments, **keywords):
        made = theirs(*arguments, **keywords)
        if isinstance(made, np.ndarray) and made.dtype.kind in "biufc":
            return NdArray(xp.asarray(made))
        return Drawn(made) if isinstance(made, (np.random.RandomState, np.random.Generator)) else made
    return call


OWN = {"array": _array, "asarray": _asarray, "asanyarray": _asarray, "ascontiguousarray": _asarray, "result_type": _types(xp.result_type),
       "promote_types": _types(xp.promote_types), "can_cast": _types(xp.can_cast), "astype": _astype, "copy": _copy, "choose": _choose, "flatten": _flatten,
       "random": Drawn(np.random)}


@functools.lru_cache(None)
def numpy_function(name):
    ours = getattr(xp, RENAMED.get(name) or name, None)
    if ours is None or not callable(ours) or name.startswith("_"):
        raise Absent(name)
    return Function(name, ours)


class Namespace(types.ModuleType):
    """numpy, computed by cucore.array."""

    def __getattr__(self, name):
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in OWN:
            return OWN[name]
        if name in NUMPY_OWN:
            return getattr(np, name)
        if name == "core" or name == "umath":
            return self
        return numpy_function(name)


numpy = Namespace("numpy")
_SAME = ("shape", "ndim", "size", "itemsize", "nbytes", "strides")
_VIEWS = ("T", "mT")


def method_of(x, name):
    """A member of numpy.ndarray, by the member of an array of cucore or by the function of its name."""
    if name in _SAME:
        return getattr(x.ours, name)
    if name in _VIEWS:
        return NdArray(getattr(x.ours, name))
    if name == "flags":
        return Flags(x.ours)
    if name in ("item", "tolist"):
        return getattr(x.ours, name)
    if name in ("reshape", "transpose", "fill", "sort"):
        return lambda *arguments, **keywords: to_theirs(getattr(x.ours, name)(*spell(name, arguments, keywords)[0]))
    if name.startswith("_") or not hasattr(np.ndarray, name):
        raise Absent(f"ndarray.{name}")
    return functools.partial(getattr(numpy, name), x)
