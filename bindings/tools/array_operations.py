#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the operations, enumerations and element types of arrays for Java: array_operations.py OPS HEADER FOLDER [STAMP].

One record of OPS becomes one method of NdArray, and one function of Nd, with its comment.
"""
import json
import re
import sys
from pathlib import Path

HEAD = "// SPDX-License-Identifier: Apache-2.0\n// Made from the table of operations.\npackage io.cucore.array;\n"
# Java type, name in methods, dtype.
HOST = [("boolean", "Boolean", "BOOL"), ("byte", "Byte", "INT8"), ("short", "Short", "INT16"), ("int", "Int", "INT32"),
        ("long", "Long", "INT64"), ("float", "Float", "FLOAT32"), ("double", "Double", "FLOAT64")]
# Class, end of the name of the enumeration in C, prefix of its values, comment.
ENUMS = [("DType", "dtype", "DTYPE_", "The type of elements."),
         ("Policy", "policy", "POLICY_", "When operations are computed."),
         ("MathMode", "math", "MATH_", "How exactly operations are computed."),
         ("Casting", "casting", "CASTING_", "The rules of NumPy for conversions."),
         ("Explanation", "explanation", "EXPLAIN_", "What an explanation contains."),
         ("Distribution", "distribution", "DISTRIBUTION_", "How random numbers are distributed.")]
# Types that numbers have in Java, besides the operand itself.
NUMBERS = ["double", "long", "boolean"]
# Operations that NdArray has under another form, as views.
REPLACED = {"real", "imag"}
IN_PLACE = {"add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "maximum", "minimum", "bitwise_and", "bitwise_or",
            "bitwise_xor"}


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def comment(text, parameters, result):
    lines = [text[0].upper() + text[1:] + ".", *(f"@param {name} {said}" for name, said in parameters), *([f"@return {result}"] if result else [])]
    return "  /** " + "\n   * ".join(html(line) for line in lines) + " */\n"


def html(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def method(said, signature, body, parameters=(), result="a new array", static=False):
    return comment(said, parameters, result) + f"  public {'static ' if static else ''}{signature} {{\n    {body}\n  }}\n"


def number(java, name):
    return f"Scalar.of({name})" if java in NUMBERS else name


def methods(record):
    """The members of NdArray for one record."""
    name, op, said = camel(record["name"]), record["number"], record["doc"]
    if record["family"] == "unary":
        if record.get("outputs", 1) > 1:
            return [method(said, f"NdArray[] {name}()", f"return Calls.several({op}, {record['outputs']}, self());", result="the arrays")]
        return [method(said, f"NdArray {name}()", f"return Calls.unary({op}, self());")]
    if record["family"] == "binary":
        return [one for java in ["Operand", *NUMBERS] for one in binary(record, name, op, said, java)]
    if record["family"] == "reduce":
        return [method(said + ", along axes", f"NdArray {name}(int... axes)", f"return Calls.reduce({op}, self(), axes);",
                       [("axes", "the axes; none: all of them")]),
                method(said + ", along axes", f"NdArray {name}(Reduction how)", f"return Calls.reduce({op}, self(), how);",
                       [("how", "the axes, and what becomes of them")])]
    if record["family"] == "scan":
        more = [("axis", "the axis"), ("dtype", "the type of the result; {@link DType#DEFAULT}: the rule"),
                ("includeInitial", "whether the result begins with the start value, and has one element more"), ("reverse", "whether it begins at the end")]
        return [method(said + ", along an axis", f"NdArray {name}(int axis)", f"return Calls.scan({op}, self(), axis, DType.DEFAULT, false, false);", [more[0]]),
                method(said + ", along an axis", f"NdArray {name}(int axis, DType dtype, boolean includeInitial, boolean reverse)",
                       f"return Calls.scan({op}, self(), axis, dtype, includeInitial, reverse);", more)]
    return []


def binary(record, name, op, said, java):
    y, parameters = number(java, "y"), [("y", "the second operand; this array is the first one")]
    if record.get("outputs", 1) > 1:
        return [method(said, f"NdArray[] {name}({java} y)", f"return Calls.several({op}, {record['outputs']}, self(), Calls.notNull({y}, \"y\"));",
                       parameters, "the arrays")]
    made = [method(said, f"NdArray {name}({java} y)", f"return Calls.binary({op}, self(), {y});", parameters)]
    if record["name"] in IN_PLACE:
        made.append(method(f"writes into this array: {said}", f"void {name}Assign({java} y)", f"Calls.assign({op}, self(), {number(java, 'y')});"
                           if java != "Operand" else f"Calls.assign({op}, self(), Calls.notNull(y, \"y\"));", parameters, ""))
    return made


def functions(record):
    """The members of Nd for one record."""
    name, op, said = camel(record["name"]), record["number"], record["doc"]
    x = [("x", "the array")]
    if record["family"] == "unary":
        kind = "NdArray" if record.get("outputs", 1) == 1 else "NdArray[]"
        return [method(said, f"{kind} {name}(NdArray x)", f'return Calls.notNull(x, "x").{name}();', x, static=True)]
    if record["family"] == "binary" and record.get("outputs", 1) == 1:
        pairs = [("Operand", "Operand"), *(("Operand", java) for java in NUMBERS), *((java, "Operand") for java in NUMBERS)]
        return [method(said, f"NdArray {name}({left} x, {right} y)", f"return Calls.binary({op}, {number(left, 'x')}, {number(right, 'y')});",
                       [("x", "the first operand"), ("y", "the second operand")], static=True) for left, right in pairs]
    if record["family"] == "more":
        operands = [("x", "the first operand"), ("y", "the second operand"), ("z", "the third operand")]
        every = [("Operand", "Operand"), ("Operand", "double"), ("double", "Operand"), ("double", "double")]
        return [method(said, f"NdArray {name}(Operand x, {left} y, {right} z)", f"return Calls.more({op}, x, {number(left, 'y')}, {number(right, 'z')});",
                       operands, static=True) for left, right in every]
    if record["family"] == "scan":
        return [method(said + ", along an axis", f"NdArray {name}(NdArray x, int axis)", f'return Calls.notNull(x, "x").{name}(axis);',
                       [*x, ("axis", "the axis")], static=True)]
    if record["family"] == "reduce":
        return [method(said + ", along axes", f"NdArray {name}(NdArray x, int... axes)", f'return Calls.notNull(x, "x").{name}(axes);',
                       [*x, ("axes", "the axes; none: all of them")], static=True)]
    return []


def taken(records):
    """Operations with numbers besides their operands have no generated form."""
    return [record for record in records if not record.get("scalars") and record["name"] not in REPLACED]


def host_members():
    out = []
    for java, name, dtype in HOST:
        out.append(method(f"makes an array of {dtype}", f"NdArray of({java}[] data, long... shape)", f"return Host.toArray(data, DType.{dtype}, shape);",
                          [("data", "the elements, which are copied"), ("shape", "the sizes; none: one axis")], "the array", static=True))
        out.append(method(f"replaces all elements; the dtype is {dtype}", f"void write({java}[] data)", f"Host.write(self(), data, DType.{dtype});",
                          [("data", "as many elements, the last axis first")], ""))
        out.append(method(f"converts the elements to {dtype} and copies them, the last axis first. Waits", f"{java}[] to{name}Array()",
                          f"return Host.read(self(), DType.{dtype}, {java}.class, {java}[].class);", result="the elements"))
    return out


def enum(name, header, c_name, prefix, said):
    body = re.search(rf"typedef enum cucore_array_{c_name} \{{(.*?)\n\}}", header, re.S)[1]
    body = re.sub(r"/\*\*<\s*(.*?)\s*\*/", lambda m: "/**< " + re.sub(r"\s+", " ", m[1]) + " */", body, flags=re.S)
    rows = re.findall(rf"CUCORE_ARRAY_{prefix}(\w+)\s*=\s*(\d+),?\s*/\*\*< (.*?) \*/", body)
    values = ",\n".join(f"  /** {html(text[0].upper() + text[1:])}. */\n  {value}({number})" for value, number, text in rows)
    sizes = "" if name != "DType" else """
  /** Returns the bytes of an element.
   * @return 0 for {@link #DEFAULT} */
  public int size() {
    return SIZES[value];
  }

  private static final int[] SIZES = {""" + ", ".join(str(size_of(value)) for value, *_ in rows) + "};\n"
    return f"""{HEAD}
/** {said} */
public enum {name} {{
{values};

  private final int value;

  {name}(int value) {{
    this.value = value;
  }}

  /** Returns the number in C.
   * @return the number */
  public int getValue() {{
    return value;
  }}

  static {name} of(int number) {{
    for ({name} each : values()) {{
      if (each.value == number) {{
        return each;
      }}
    }}
    throw new AssertionError(number);
  }}
{sizes}}}
"""


def size_of(name):
    bits = re.search(r"\d+$", name)
    return int(bits[0]) // 8 if bits else int(name == "BOOL")


def main(ops, header, folder, stamp=None):
    records = taken(json.loads(Path(ops).read_text(encoding="utf-8")))
    text = Path(header).read_text(encoding="utf-8")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write = lambda name, body: (folder / f"{name}.java").write_text(body, encoding="utf-8")
    write("ArrayOperations", f"{HEAD}\n/** The operations as methods. */\nabstract class ArrayOperations extends ArrayFunctions {{\n"
          "  ArrayOperations() {}\n\n"
          + "\n".join([*host_members(), *(one for record in records for one in methods(record))]) + "}\n")
    write("NdOperations", f"{HEAD}\n/** The operations as functions. */\nabstract class NdOperations extends NdFunctions {{\n  NdOperations() {{}}\n\n"
          + "\n".join(one for record in records for one in functions(record)) + "}\n")
    for name, c_name, prefix, said in ENUMS:
        write(name, enum(name, text, c_name, prefix, said))
    cases = "".join(f"    if (element == {java}.class) {{\n      return DType.{dtype};\n    }}\n" for java, _, dtype in HOST)
    back = "".join(f"      case {dtype}: return {java}.class;\n" for java, _, dtype in HOST)
    write("HostTypes", f"{HEAD}\n/** The dtypes of Java's primitive types. */\nfinal class HostTypes {{\n  private HostTypes() {{}}\n\n"
          f"  static DType of(Class<?> element) {{\n{cases}    return null;\n  }}\n\n"
          f"  static Class<?> of(DType dtype) {{\n    switch (dtype) {{\n{back}      default: return null;\n    }}\n  }}\n}}\n")
    body = re.search(r"typedef struct cucore_array_context_info \{(.*?)\}", text, re.S)[1]
    names = ", ".join(f'"{name}"' for name in re.findall(r"uint64_t\s+(\w+);", body))
    write("StatisticNames", f"{HEAD}\n/** The fields of a context's statistics. */\nfinal class StatisticNames {{\n  static final String[] ALL = {{{names}}};\n\n"
          "  private StatisticNames() {}\n}\n")
    if stamp:
        Path(stamp).touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
