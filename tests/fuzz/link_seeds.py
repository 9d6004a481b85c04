# SPDX-License-Identifier: Apache-2.0
"""Seeds of the linker: each text of the corpus with a short one, and pairs of short ones."""

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
TEXTS = [
    ".extern .func f(); .visible .entry a() { call f; ret; }",
    ".visible .func f() { ret; }",
    ".weak .func f() .pragma \"x\"; { L: @%p1 bra L; .reg .pred %p1; ret; }",
    ".global .b32 x[2] = {1, 2}; .func g() { ret; } .entry b() { .reg .b64 d; mov.u64 d, x; ret; }",
    ".global .u64 x, t[2] = {generic(x)+4, 0xFF(x)}; .common .global .b32 c[4];",
    ".file 1 \"a.cu\"\n.common .global .b32 c[8]; .extern .shared .align 4 .b8 s[];\n"
    ".visible .entry b() { .reg .b32 r<4>; .reg .b64 d;\n"
    ".loc 1 2 3, function_name $L, inlined_at 1 2 3\nmov.u64 d, {r1, r2}; mov.u32 r1, s; ret; }\n"
    ".section .debug_str { .b8 1 }\n",
    ".visible .func f() { ret; } .visible .func h(); .alias h, f;",
]


def write(folder, corpus):
    texts = [HEADER + text for text in TEXTS] + [path.read_text() for path in corpus]
    for i, text in enumerate(texts):
        for j, other in enumerate(texts[:len(TEXTS)]):
            separator = "\n~~" if (i + j) % 3 == 0 else "\n~"
            (folder / f"link_{i}_{j}").write_text(text + separator + other)
