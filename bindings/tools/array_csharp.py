#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes arrays for C#: array_csharp.py OPS HEADER SOURCES FOLDER.

- ArrayNative.Generated.cs: each function of the header, for platform calls
- ArrayMembers.Generated.cs: a member of NdArray, Nd, Context or Generator for each function that follows the conventions
- ArrayOperations.Generated.cs: members of NdArray and of Nd, and operators, for each record of the table of operations
- ArrayEnums.Generated.cs: the enumerations, and the statistics of a context
- the files of SOURCES, with the comments of the header in the places of their marks
"""
import json
import re
import sys
from pathlib import Path

import array_operations
import header as headers
import words
from header import camel
from platform_calls import imported

LIBRARY = "libcucore-array.so.0"
PREFIX = "cucore_array_"
# C enumeration: class.
ENUMS = {"dtype": "DType", "policy": "Policy", "math": "MathMode", "casting": "Casting", "part_kind": "Part", "explanation": "Explanation",
         "distribution": "Distribution"}
# Only C needs the table of operations, references, and calls with the number of an operation.
OF_C = "_(retain|release|op_at|op_count|binary_scalar)$"
NAMES = {"ndim": "Rank", "dtype_of": "DType", "context_of": "Context"}
# Default values of C#'s parameters.
DEFAULTS = {("sort", "axis"): "-1", ("argsort", "axis"): "-1", ("vecdot", "axis"): "-1", ("diagonal", "offset"): "0", ("diagonal", "axis1"): "0",
            ("diagonal", "axis2"): "1", ("linspace", "endpoint"): "true", ("linspace", "dtype"): "DType.Default", ("searchsorted", "sorter"): "null",
            ("can_cast", "casting"): "Casting.SameKind", ("stack", "axis"): "0",
            ("arange", "dtype"): "DType.Default", ("eye", "dtype"): "DType.Default", ("eye", "diagonal"): "0", ("read_into", "offset"): "0",
            ("to_dlpack", "consumer"): "null", ("to_dlpack", "versioned"): "true", ("from_dlpack", "versioned"): "true"}
MAY_BE_NULL = {("searchsorted", "sorter"), ("permute", "axes"), ("to_dlpack", "consumer")}
OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "remainder": "%", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
             "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "negative": "-", "positive": "+", "bitwise_invert": "~",
             "logical_not": "!", "bitwise_left_shift": "<<", "bitwise_right_shift": ">>"}
HEAD = ["#nullable enable", "// Generated from cucore_array.h and the table of operations.", "using System;", "using System.Runtime.InteropServices;", "",
        "namespace Cucore.Arrays {"]


def spelled(text):
    """A comment of the header in the words of C#."""
    def item(m):
        for c_name, here in ENUMS.items():
            prefix = PREFIX.upper() + {"part_kind": "PART", "explanation": "EXPLAIN"}.get(c_name, c_name.upper()) + "_"
            if m[0].startswith(prefix):
                return f"{here}.{value(m[0].removeprefix(prefix))}"
        return words.exception_name(m[0], "Exception") if m[0].startswith("CUCORE_ERROR_") else m[0]

    text = re.sub(r"\bCUCORE_\w+", item, text)
    text = re.sub(r"\bcucore_array_(\w+)\(\)", lambda m: member_name(m[1]) + "()", text)
    text = re.sub(r"\bcucore_pool_(\w+)\(\)", lambda m: f"CudaMemoryPool.{camel(m[1])}()", text)
    text = text.replace(" with a new reference", "").replace("DEFAULT:", "DType.Default:")
    text = re.sub(r"\bOFF\b", "false", re.sub(r"\bON\b", "true", re.sub(r"\bNULL\b", "null", text)))
    text = re.sub(r"\bReturns 1 if\b", "Returns true if", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def value(name):
    """UINT8 -> UInt8."""
    return re.sub(r"^Bf", "BF", re.sub(r"^Ui", "UI", camel(name.lower())))


def member_name(name):
    return NAMES.get(name) or camel(re.sub(r"^(context|generator)_(?!of)", "", name))


def local(name):
    """A name of C as a parameter of C#."""
    first, *rest = name.split("_")
    made = first + "".join(part.capitalize() for part in rest)
    return f"@{made}" if made in ("out", "operator") else made


def documented(summary, parameters=(), result="", failures=(), remarks=""):
    lines = [f"/// <summary>{summary}</summary>", *(f'/// <param name="{name}">{text}</param>' for name, text in parameters)]
    lines += [f"/// <returns>{result}</returns>"] if result else []
    lines += [f'/// <exception cref="Cucore.{words.exception_name(status, "Exception")}">{text}</exception>' for status, text in failures]
    return lines + ([f"/// <remarks>{remarks}</remarks>"] if remarks else [])


def comment(function, names):
    """The comment of a member: the words of the header for the parameters that the member has."""
    summary, *remarks = function.doc.text.split("\n\n")
    first, *rest = re.split(r"(?<=\.) (?=[A-Z])", summary, maxsplit=1)
    parameters = [(local(name).lstrip("@"), of_flag(spelled(text))) for name, text in function.doc.params.items() if local(name) in names]
    failures = [(status, spelled(text)) for status, text in words.failures(function)]
    return documented(spelled(first), parameters, spelled(headers.result(function.doc.params.get("out", ""))), failures, spelled(" ".join([*rest, *remarks])))


def of_flag(text):
    """"1: the largest first" -> "true: the largest first"."""
    return re.sub(r"; 0: ", "; false: ", re.sub(r"^1: ", "true: ", text))


# == Platform calls ==

def class_of(ctype):
    """The class of a handle; nothing for another type."""
    found = re.fullmatch(r"(?:const )?cucore_(?:array(_context|_generator)?|(device|stream|buffer)) (?:\*|\*\*|\*const \*)", ctype)
    if not found:
        return None
    return f"Cuda{found[2].capitalize()}" if found[2] else camel(found[1] or "nd_array")


def native_type(ctype, name, function):
    """The type of a parameter in the declaration of a platform call."""
    names = dict(zip(function.parameters, function.types))
    plain = {"int32_t": "int", "int64_t": "long", "uint32_t": "uint", "uint64_t": "ulong", "size_t": "UIntPtr", "double": "double", "cucore_toggle": "int",
             "size_t *": "out UIntPtr", "int32_t *": "out int", "const int64_t *": "long[]?", "const int32_t *": "int[]?", "uint64_t[4]": "[In, Out] ulong[]",
             "const uint64_t[4]": "ulong[]", "cucore_array_scalar *": "out Scalar", "const cucore_array_scalar *": "ref Scalar",
             "const cucore_array_index *": "NativeIndex[]", "cucore_array_dtype *": "out DType", "const cucore_array_dtype *": "DType[]?"}
    if name == "error":
        return "out IntPtr"
    if ctype == "const cucore_array_operand *":
        return "NativeOperand[]?"
    if ctype == "cucore_array_context_info *":
        return "[In, Out] ulong[]"
    if ctype in plain:
        return plain[ctype]
    enum = ctype.removeprefix(PREFIX)
    if enum in ENUMS:
        return ENUMS[enum]
    struct = re.fullmatch(r"(?:const )?cucore_array_(\w+_(?:options|info)) \*", ctype)
    if struct:
        return f"ref Native{camel(struct[1])}"
    if class_of(ctype):
        if ctype.endswith("**"):
            is_list = names.get("count") == "size_t" and function.name.endswith("unstack") or name == "results" or function.name.endswith("nonzero")
            return "[Out] IntPtr[]" if is_list else "out IntPtr"
        if ctype.endswith("*const *"):
            return "IntPtr[]"
        return "IntPtr" if re.search(r"_(release|retain)$", function.name) else "SafeHandle"
    return "out IntPtr" if ctype == "void **" else "IntPtr"  # memory, and texts


def native_result(ctype):
    return {"cucore_status": "int", "void": "void", "int32_t": "int", "uint32_t": "uint", "int64_t": "long", "size_t": "UIntPtr",
            "cucore_array_dtype": "DType"}.get(ctype, "IntPtr")


def forwarded(declared, name):
    """An argument that passes a parameter on."""
    how = re.match(r"(out |ref )?", declared)[0]
    return how + local(name)


def natives(header):
    """The platform calls. One that finds no device memory is made again after a collection; it has changed nothing."""
    calls, wrappers = [], []
    for function in (each for each in header.functions.values() if not re.search("_op_(at|count)$", each.name)):
        types = [(native_type(ctype, name, function), name) for name, ctype in zip(function.parameters, function.types)]
        declared = ", ".join(f"{kind} {local(name)}" for kind, name in types)
        if "error" not in function.parameters:
            wrappers += imported("  ", f"{native_result(function.result)} {function.name}({declared})")
            continue
        calls += imported("    ", f"int {function.name}({declared})")
        passed = ", ".join(forwarded(kind, name) for kind, name in types)
        declared = declared.replace("[In, Out] ", "").replace("[Out] ", "")
        wrappers += [f"  internal static int {function.name}({declared}) {{", "    Patience patience = Patience.Begin();", "    try {", "      int status;",
                     f"      do status = C.{function.name}({passed});", "      while (patience.IsToRepeat(status, error));", "      return status;",
                     "    } finally {", "      patience.End();", "    }", "  }"]
    return [*HEAD, "internal static partial class ArrayNative {", f'  private const string Library = "{LIBRARY}";', "", *wrappers,
            "  // Of libcucore, which the library loads.", *imported("  ", "void cucore_error_release(IntPtr error)"), "",
            "  private static partial class C {", *calls, "  }", "}", "}"]


# == Members ==

class Member:
    """The parts of a member that one function becomes."""

    def __init__(self, function, header):
        self.function, self.short = function, function.name.removeprefix(PREFIX)
        self.declared, self.passed, self.uses = [], [], []
        self.owner, self.self_name = "Nd", ""
        before = ("", "")
        for name, ctype in zip(function.parameters, function.types):
            if name not in ("out", "error"):
                self.add(name, ctype, before)
            before = (name, ctype)
        self.returns = self.result(dict(zip(function.parameters, function.types)))

    def add(self, name, ctype, before):
        handle = class_of(ctype)
        here, key = local(name), (self.short, name)
        optional = key in MAY_BE_NULL
        if not self.passed and handle in ("NdArray", "Context", "Generator") and not ctype.endswith("*const *"):
            if handle == "Context" and not self.short.startswith("context_"):
                self.passed.append("Context.Current.Handle")
            else:
                self.owner, self.self_name = handle, name
                self.passed.append("Handle")
        elif ctype == "size_t" and re.search(r"const int\d+_t \*$|\*const \*$", before[1]):
            self.passed.append(f"Calls.Count({local(before[0])})")
        elif handle and ctype.endswith("*const *"):
            self.uses.append(f"using (Handles {here}Held = new Handles({here}, nameof({here})))")
            self.passed.append(f"{here}Held.Pointers")
            self.declared.append((f"NdArray[] {here}", True))
        elif handle in ("NdArray", "Context", "Generator"):
            self.passed.append(f"{handle}.HandleOf({here}, nameof({here}), {str(optional).lower()})" if optional else f"{handle}.HandleOf({here}, nameof({here}))")
            self.declare(f"{handle}{'?' if optional else ''} {here}", key)
        elif handle:
            self.passed.append(f"{handle}.getCPtr({here})" if optional else f"{handle}.getCPtr({here}, nameof({here}))")
            self.declare(f"{handle}{'?' if optional else ''} {here}", key)
        else:
            self.add_value(name, here, ctype, key, optional)

    def add_value(self, name, here, ctype, key, optional):
        text = self.function.doc.params.get(name, "")
        if ctype in ("const int64_t *", "const int32_t *"):
            element = "long" if "64" in ctype else "int"
            self.passed.append(here if optional else f"Calls.NotNull({here}, nameof({here}))")
            self.declared.append((f"{element}[]{'?' if optional else ''} {here}", True))
        elif ctype == "int32_t" and re.match(r"1: ", text):
            self.passed.append(f"{here} ? 1 : 0")
            self.declare(f"bool {here}", key, "false")
        elif ctype == "cucore_toggle":
            self.passed.append(f"Calls.Toggled({here})")
            self.declare(f"bool? {here}", key, "null")
        elif ctype == "const cucore_array_scalar *":
            self.passed.append(f"ref {here}")
            self.declare(f"Scalar {here}", key)
        elif ctype == "const cucore_array_operand *":
            self.uses.append(f"using (Operands {here}Held = new Operands({here}, nameof({here})))")
            self.passed.append(f"{here}Held.All")
            self.declare(f"NdArray {here}", key)
        elif ctype == "size_t":
            self.passed.append(f"Checked.Size({here}, nameof({here}))")
            self.declare(f"long {here}", key)
        else:
            self.passed.append(here)
            self.declare(f"{ENUMS.get(ctype.removeprefix(PREFIX)) or native_type(ctype, name, self.function)} {here}", key)

    def declare(self, text, key, default=None):
        given = DEFAULTS.get(key, default)
        self.declared.append((text if given is None else f"{text} = {given}", False))

    def result(self, types):
        if self.function.result != "cucore_status":
            return "int" if self.short == "ndim" else {"int32_t": "bool", "size_t": "long", "cucore_array_dtype": "DType"}.get(self.function.result) or native_result(self.function.result)
        return (class_of(types["out"]) or "IntPtr") if "out" in types else "void"

    def parameters(self):
        """A list comes last, so that its elements may be arguments. Parameters without a default come before those with one."""
        lists = [text for text, is_list in self.declared if is_list]
        others = [text for text, is_list in self.declared if not is_list]
        required, optional = [each for each in others if " = " not in each], [each for each in others if " = " in each]
        if len(lists) == 1 and not optional:
            return ", ".join([*required, f"params {lists[0]}"])
        return ", ".join([*required, *lists, *optional])

    def call(self):
        """The statements of the body."""
        passed = ", ".join(self.passed)
        if self.function.result != "cucore_status":
            call = f"ArrayNative.{self.function.name}({passed})"
            return [f"return {call} != 0;" if self.returns == "bool" else f"return ({self.returns}){call};" if self.function.result == "size_t" else f"return {call};"]
        made = ", out IntPtr made" if self.returns != "void" else ""
        lines = [f"Calls.Check(ArrayNative.{self.function.name}({passed}{made}, out IntPtr error), error);"]
        new = {"NdArray": "new NdArray(made)", "Context": "new Context(made)", "IntPtr": "made", "void": ""}.get(self.returns, f"new {self.returns}(made, true)")
        return [*lines, f"return {new};"] if new else lines

    def lines(self):
        name = member_name(self.short)
        is_static = not self.self_name
        is_property = not is_static and not self.declared and (self.function.result != "cucore_status" or self.returns in ("Context", "CudaStream", "CudaDevice"))
        names = re.findall(r"(\w+)(?: = [\w.-]+)?(?:,|$)", self.parameters())
        body = self.call()
        if self.uses:
            body = [f"{self.uses[0]} {{", *(f"  {line}" for line in body), "}"]
        head = f"public {'static ' if is_static else ''}{self.returns} {name}"
        doc = comment(self.function, names)
        if is_property:
            inside = [f"  get {{ {' '.join(body)} }}"]
            return [*doc, f"{head} {{", *inside, "}"]
        return [*doc, f"{head}({self.parameters()}) {{", *(f"  {line}" for line in body), "}"]


def called(sources):
    """The functions that the files written by hand call: their members are there."""
    return {name for source in sources for name in re.findall(r"ArrayNative\.(cucore_array_\w+)", source.read_text(encoding="utf-8"))}


def members(header, by_hand):
    """A function that nothing calls by hand is a member, except those that only C needs."""
    owners = {name: [] for name in ("NdArray", "Nd", "Context", "Generator")}
    for function in header.functions.values():
        if function.name not in by_hand and not re.search(OF_C, function.name):
            made = Member(function, header)
            owners[made.owner] += [*(f"  {line}" for line in made.lines()), ""]
    out = list(HEAD)
    for owner, lines in owners.items():
        out += [f"public {'static ' if owner == 'Nd' else 'sealed '}partial class {owner} {{", *lines, "}"]
    return out + ["}"]


# == Operations ==

def sentence(text):
    return spelled(text[0].upper() + text[1:]) + "."


def one(doc, signature, body):
    return [*(f"  {line}" for line in doc), f"  public {signature} {{ {body} }}", ""]


PAIR = "(NdArray First, NdArray Second)"


def operation_members(record):
    """The members of NdArray and of Nd for one record."""
    name, op, said, family = camel(record["name"]), record["number"], sentence(record["doc"]), record["family"]
    pair = record.get("outputs", 1) > 1
    kind, result = (PAIR, "both arrays") if pair else ("NdArray", "a new array")
    options = ("options", "the result that is written, the elements of it, and the type; null: a new array by the rule")
    if family == "unary":
        call = f"Calls.Two({op}, this)" if pair else f"Calls.Unary({op}, this)"
        array = one(documented(said, (), result), f"{kind} {name}()", f"return {call};")
        functions = one(documented(said, [("x", "the array")], result), f"static {kind} {name}(NdArray x)", f"return Calls.NotNull(x, nameof(x)).{name}();")
        if not pair:
            functions += one(documented(said, [("x", "the array"), options], "the array that is written, or a new one"), f"static NdArray {name}(NdArray x, OperationOptions? options)",
                             f"return Calls.Apply({op}, options, x);")
        return array, functions
    if family == "binary":
        return binary(record, name, op, said, kind, result, options)
    if family == "more":
        three = [("x", "the first operand"), ("y", "the second operand"), ("z", "the third operand")]
        array = one(documented(f"{said} This array is the first operand.", three[1:], result), f"NdArray {name}(NdArray y, NdArray z)", f"return Nd.{name}(this, y, z);")
        functions = one(documented(said, three, result), f"static NdArray {name}(NdArray x, NdArray y, NdArray z)", f"return Calls.More({op}, x, y, z);")
        return array, functions + one(documented(said, [*three, options], "the array that is written, or a new one"),
                                      f"static NdArray {name}(NdArray x, NdArray y, NdArray z, OperationOptions? options)", f"return Calls.Apply({op}, options, x, y, z);")
    return (reduction if family == "reduce" else scan)(name, op, said)


def binary(record, name, op, said, kind, result, options):
    pair, other = kind == PAIR, ("y", "the second operand; this array is the first one")
    both = [("x", "the first operand"), ("y", "the second operand")]
    body = f"return Nd.{name}(this, y);"
    array = one(documented(said, [other], result), f"{kind} {name}(NdArray y)", body)
    if record["name"] in array_operations.IN_PLACE:
        array += one(documented(f"Writes into this array: {record['doc']}.", [other]), f"void {name}Assign(NdArray y)", f"AssignOp({op}, y);")
    functions = one(documented(said, both, result), f"static {kind} {name}(NdArray x, NdArray y)", f"return Calls.{'Two' if pair else 'Binary'}({op}, x, y);")
    if not pair:
        functions += one(documented(said, [*both, options], "the array that is written, or a new one"), f"static NdArray {name}(NdArray x, NdArray y, OperationOptions? options)",
                         f"return Calls.Apply({op}, options, x, y);")
    return array, functions


def reduction(name, op, said):
    axes, x = ("axes", "the axes, also negative ones; none: all of them"), ("x", "the array")
    kept = [("axis", "the axis; a negative one counts from the end"), ("keepDims", "whether the axis stays, with size 1")]
    how = ("how", "the axes, and what becomes of them")
    array = one(documented(said, [axes], "a new array"), f"NdArray {name}(params int[] axes)", f"return Calls.Reduce({op}, this, axes);")
    array += one(documented(said, kept, "a new array"), f"NdArray {name}(int axis, bool keepDims)",
                 f"return {name}(new Reduction {{ Axes = new[] {{ axis }}, KeepDims = keepDims }});")
    array += one(documented(said, [how], "a new array"), f"NdArray {name}(Reduction how)", f"return Calls.Reduce({op}, this, how);")
    functions = one(documented(said, [x, axes], "a new array"), f"static NdArray {name}(NdArray x, params int[] axes)", f"return Calls.NotNull(x, nameof(x)).{name}(axes);")
    functions += one(documented(said, [x, *kept], "a new array"), f"static NdArray {name}(NdArray x, int axis, bool keepDims)",
                     f"return Calls.NotNull(x, nameof(x)).{name}(axis, keepDims);")
    return array, functions + one(documented(said, [x, how], "a new array"), f"static NdArray {name}(NdArray x, Reduction how)",
                                  f"return Calls.NotNull(x, nameof(x)).{name}(how);")


def scan(name, op, said):
    rest = [("axis", "the axis; a negative one counts from the end"), ("dtype", "the type of the result; DType.Default: the rule"),
            ("includeInitial", "whether the result begins with the neutral element, and is longer by one"), ("reverse", "with all elements after it")]
    array = one(documented(said, rest, "a new array"), f"NdArray {name}(int axis, DType dtype = DType.Default, bool includeInitial = false, bool reverse = false)",
                f"return Calls.Scan({op}, this, axis, dtype, includeInitial, reverse);")
    return array, one(documented(said, [("x", "the array"), rest[0]], "a new array"), f"static NdArray {name}(NdArray x, int axis)",
                      f"return Calls.NotNull(x, nameof(x)).{name}(axis);")


def operators(records):
    out = []
    for record in (each for each in records if each["name"] in OPERATORS):
        sign, name, said = OPERATORS[record["name"]], camel(record["name"]), sentence(record["doc"])
        both = [("x", "the first operand"), ("y", "the second operand")]
        if record["family"] == "unary":
            out += one(documented(said, [("x", "the array")], "a new array"), f"static NdArray operator {sign}(NdArray x)", f"return Nd.{name}(x);")
        else:
            out += one(documented(said, both, "a new array"), f"static NdArray operator {sign}(NdArray x, {'int' if sign in ('<<', '>>') else 'NdArray'} y)",
                       f"return Nd.{name}(x, y);")
    return out


def operations(records):
    pairs = [operation_members(record) for record in records]
    return [*HEAD, "public sealed partial class NdArray {", *(line for array, _ in pairs for line in array), *operators(records), "}",
            "public static partial class Nd {", *(line for _, functions in pairs for line in functions), "}", "}"]


# == Enumerations ==

def enums(header):
    out = list(HEAD)
    for enum in header.enums:
        name = ENUMS.get(enum.c_name.removeprefix(PREFIX))
        if name:
            out += [f"/// <summary>{spelled(enum.doc.text)}</summary>", f"public enum {name} {{"]
            for item in enum.items:
                text = spelled(item.doc or item.short.lower())
                out += [f"  /// <summary>{text[0].upper() + text[1:]}.</summary>", f"  {value(item.short)} = {item.value},"]
            out.append("}")
    struct = header.structs["cucore_array_context_info"]
    out += [f"/// <summary>{spelled(struct.doc.text)}</summary>", "public sealed class ContextStatistics {", "  private readonly ulong[] all;  // the first one is the size of the struct", "",
            "  internal ContextStatistics(ulong[] all) { this.all = all; }", "", f"  internal const int Count = {len(struct.fields)};", ""]
    for i, field in enumerate(struct.fields):
        text = spelled(field.doc or field.name.replace("_", " "))
        out += [f"  /// <summary>{text[0].upper() + text[1:]}.</summary>", f"  public long {camel(field.name)} {{ get {{ return (long)all[{i + 1}]; }} }}"]
    said = ", ".join(f"{camel(f.name)}={{{camel(f.name)}}}" for f in struct.fields)
    return out + ["", '  /// <summary>All of it: "name=number, ...".</summary>', f'  public override string ToString() {{ return $"{said}"; }}', "}", "}"]


# == Files written by hand ==

def expanded(text, header):
    """Replaces each mark "//: cucore_array_x" by the comment of the function for the parameters below it."""
    lines, out = text.splitlines(), []
    for i, line in enumerate(lines):
        mark = re.fullmatch(r"(\s*)//: (cucore_array_\w+)", line)
        if not mark:
            out.append(line)
            continue
        own = [below for below in lines[i + 1:i + 8] if re.match(r"\s*///", below)]
        declared = next(below for below in lines[i + 1:] if not re.match(r"\s*(///|\[)", below))
        names = re.findall(r"(@?\w+)(?: = [\w.-]+)?\s*(?:,|\)(?= [{]))", declared)
        made = comment(header.functions[mark[2]], [name for name in names if not any(f'name="{name}"' in each for each in own)])
        if not re.match(r"\s*(public|internal) (static )?void ", declared) and not any("<returns>" in each for each in own):
            out += [mark[1] + each for each in made]
        else:
            out += [mark[1] + each for each in made if "<returns>" not in each]
    return out


def main(ops, header_path, sources, folder):
    header = headers.parse(Path(header_path).read_text(encoding="utf-8"))
    records = array_operations.taken(json.loads(Path(ops).read_text(encoding="utf-8")))
    folder = Path(folder)
    write = lambda name, lines: (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    write("ArrayNative.Generated.cs", natives(header))
    write("ArrayMembers.Generated.cs", members(header, called(Path(sources).glob("*.cs"))))
    write("ArrayOperations.Generated.cs", operations(records))
    write("ArrayEnums.Generated.cs", enums(header))
    for source in sorted(Path(sources).glob("*.cs")):
        write(source.name, ["#nullable enable", *expanded(source.read_text(encoding="utf-8"), header)])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
