# SPDX-License-Identifier: Apache-2.0
"""The forms of mma, wmma and wgmma, with fragments of the right lengths."""
import itertools

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "e4m3": 8, "e5m2": 8,
        "s32": 32, "f32": 32}
PAIRS = ([(one, one) for one in ("f16", "bf16", "tf32", "f64", "b1")] +
         [pair for group in (("s8", "u8"), ("s4", "u4"), ("e4m3", "e5m2")) for pair in itertools.product(group, group)])
LAYOUTS = tuple(itertools.product(("row", "col"), ("row", "col")))
ROUNDINGS = ("", ".rn", ".rz", ".rm", ".rp")
WMMA_SHAPES = ((16, 16, 16), (8, 32, 16), (32, 8, 16), (16, 16, 8), (8, 8, 4), (8, 8, 32), (8, 8, 128))
WGMMA_DEPTHS = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}


def length(rows, columns, kind):
    """The registers of a fragment in each of 32 threads."""
    return max(1, rows * columns * BITS[kind] // 32 // (64 if kind == "f64" else 32))


def vector(count, first, kind="b32"):
    name = {"f64": "fd", "f32": "f"}.get(kind, "r")
    return "{" + ",".join(f"%{name}{first + k}" for k in range(count)) + "}"


def sums(kind):
    if kind in ("f16", "e4m3", "e5m2"):
        return "f16", "f32"
    return ("f32",) if kind in ("bf16", "tf32") else ("f64",) if kind == "f64" else ("s32",)


def fragments(d, a, b, c, counts):
    return ",".join(vector(n, first, kind) for n, first, kind in zip(counts, (0, 20, 40, 60), (d, a, b, c)))


def mma_variants(a):
    """The modifiers before the types, and those after them."""
    if a == "b1":
        return (("", ".xor.popc"), ("", ".and.popc"))
    if a == "f64":
        return tuple((rounding, "") for rounding in ROUNDINGS)
    return (("", ""), (".satfinite", "")) if a in ("s8", "u8", "s4", "u4") else (("", ""),)


def mma():
    for (a, b), rows, depth in itertools.product(PAIRS, (8, 16), (4, 8, 16, 32, 64, 128, 256)):
        if length(rows, depth, a) > 16:
            continue
        for d, c, (left, right), (before, after) in itertools.product(sums(a), sums(a), LAYOUTS, mma_variants(a)):
            counts = [length(rows, 8, d), length(rows, depth, a), length(depth, 8, b), length(rows, 8, c)]
            if (a, rows, depth) == ("f16", 8, 4):  # four products at once
                counts = [4 if d == "f16" else 8, 2, 2, 4 if c == "f16" else 8]
            yield (f"mma.sync.aligned.m{rows}n8k{depth}.{left}.{right}{before}.{d}.{a}.{b}.{c}{after} "
                   f"{fragments(d, a, b, c, counts)};")


def sparse_mma():
    for (a, b), depth, order in itertools.product(PAIRS, (8, 16, 32, 64, 128), ("", "::ordered_metadata")):
        half = length(16, depth, a) // 2
        if a in ("f64", "b1") or half == 0:
            continue
        for d, selector, (before, _) in itertools.product(sums(a), range(4), mma_variants(a)):
            counts = (length(16, 8, d), half, length(depth, 8, b), length(16, 8, d))
            yield (f"mma.sp{order}.sync.aligned.m16n8k{depth}.row.col{before}.{d}.{a}.{b}.{d} "
                   f"{fragments(d, a, b, d, counts)},%r100,{selector};")


def wmma_moves(shape, layout):
    for part, kind, count, (space, stride) in itertools.product(
            "abc", BITS, (1, 2, 4, 8), itertools.product(("", ".global", ".shared"), ("", ",%r1"))):
        if count == 8 or not (space or stride):
            yield f"wmma.load.{part}.sync.aligned.{layout}.{shape}{space}.{kind} {vector(count, 20, kind)},[%rd1]{stride};"
    for kind, count, space, stride in itertools.product(
            ("f16", "f32", "f64", "s32"), (1, 2, 4, 8), ("", ".global", ".shared", ".shared::cta"), ("", ",%r1")):
        yield f"wmma.store.d.sync.aligned.{layout}.{shape}{space}.{kind} [%rd1],{vector(count, 20, kind)}{stride};"


def wmma():
    for rows, columns, depth in WMMA_SHAPES:
        shape = f"m{rows}n{columns}k{depth}"
        for layout in ("row", "col"):
            yield from wmma_moves(shape, layout)
        for (a, b), (left, right) in itertools.product(PAIRS, LAYOUTS):
            if a.startswith("e"):
                continue
            for d, c, last, (before, after) in itertools.product(sums(a), sums(a), ("", ".satfinite"), mma_variants(a)):
                if before == ".satfinite":
                    continue
                counts = [length(rows, columns, d), length(rows, depth, a), length(depth, columns, b),
                          length(rows, columns, c)]
                if a == "f16":
                    counts[1] = counts[2] = 8
                for kinds in ((f".{d}.{c}", f".{d}.{a}.{b}.{c}") if a == "f16" else (f".{d}.{a}.{b}.{c}",)):
                    yield (f"wmma.mma{after}.sync.aligned.{left}.{right}.{shape}{before}{kinds}{last} "
                           f"{fragments(d, a, b, c, counts)};")


def wgmma_ends(a, from_memory):
    if a in ("f16", "bf16"):
        transposed = ((",0,1", ",1,0", ",0,0") if from_memory else (",1", ",0"))
        return [f",{scale},{signs}{ends}" for scale, signs, ends in
                itertools.product(("%p1", "1"), ("1,1", "-1,1"), transposed)]
    return (",%p1,1,1", ",%p1,-1,-1") if a in ("tf32", "e4m3", "e5m2") else (",%p1", ",1")


def wgmma():
    for sparse, (a, b), columns in itertools.product(("", ".sp"), PAIRS, (8, 16, 24, 32, 64, 96, 128, 208, 248, 256)):
        if a not in WGMMA_DEPTHS:
            continue
        depth = WGMMA_DEPTHS[a] * (2 if sparse else 1)
        lasts = ("", ".satfinite") if a in ("s8", "u8") else (".and.popc",) if a == "b1" else ("",)
        for d, first, last in itertools.product(sums(a), ("%rd1", vector(4, 130)), lasts):
            result = vector(columns // (4 if d == "f16" else 2), 0, d)
            for end in wgmma_ends(a, first == "%rd1"):
                yield (f"wgmma.mma_async{sparse}.sync.aligned.m64n{columns}k{depth}.{d}.{a}.{b}{last} {result},{first},"
                       f"%rd2{',%r129,0' if sparse else ''}{end};")
    yield from ("wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;")


def all_forms():
    for family in (mma, sparse_mma, wmma, wgmma):
        yield from family()
