# SPDX-License-Identifier: Apache-2.0
"""Members of Java and C# that marks stand for, and the stubs of Python's layer."""
import ast
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
import csharp_values  # noqa: E402
import stubs  # noqa: E402
import values  # noqa: E402


def java(text):
    return "\n".join(values.expand(["class Axle {", *text.splitlines(), "}"], "Axle"))


def csharp(text):
    return "\n".join(csharp_values.expand(text.splitlines()))


class Java(unittest.TestCase):
    def test_a_constructor_assigns_values_and_takes_the_other_fields(self):
        text = java("  //: fields private (long[] both)\n  private final int left = (int) both[0]; // The left end -> turns\n"
                    "  private final String name;\n")
        self.assertIn("  private Axle(long[] both, String name) {\n    this.left = (int) both[0];\n    this.name = name;\n  }", text)
        self.assertIn("  private final int left;\n", text)
        self.assertIn("  /** The left end.\n   * @return turns */\n  public int left() {", text)
        self.assertNotIn("name()", text)

    def test_an_accessor_may_be_an_optional(self):
        text = java("  //: fields\n  private final Kind kind; // Optional: The kind -> the kind; empty where unknown\n")
        self.assertIn("  public java.util.Optional<Kind> kind() {\n    return java.util.Optional.ofNullable(kind);", text)
        self.assertIn("  /** The kind. */\n  private final Kind kind;", text)

    def test_a_builder_adds_to_a_map_by_two_parameters(self):
        text = java("  //: builder\n  private final Map<String, String> ends; // (left, right): Adds ends -> the one -> the other\n")
        self.assertIn("     * @param left the one\n     * @param right the other\n     * @return this */", text)
        self.assertIn('    public Builder end(String left, String right) {\n      ends.put(Given.notNull(left, "left"), Given.notNull(right, "right"));', text)
        self.assertIn("ends = new java.util.LinkedHashMap<>(builder.ends);", text)

    def test_words_check_and_signed_words_do_not(self):
        self.assertIn('  return set(6, "ends", left, isOpen ? 1 : 0);', java("//: word ends 6 (int left, boolean isOpen): Ends -> turns -> the choice"))
        self.assertIn("  words[2] = value;", java("//: signed order 2 (int value): The order -> the order"))

    def test_accessors_are_getters_and_actions_are_not(self):
        members = [("Wheel", "wheel"), ("Graph", "end"), ("Graph", "body"), ("Iterator<Wheel>", "iterator")]
        lines = [line for kind, name in members for line in (f"  public {kind} {name}() {{", "    return all;", "  }")]
        text = "\n".join(values.getters(["public final class Ride {", *lines, "}"]))
        self.assertIn("public Wheel getWheel() {", text)
        for action in ("getEnd", "getBody", "getIterator"):
            self.assertNotIn(action, text)

    def test_one_line_stands_for_a_text_and_for_an_argument(self):
        self.assertIn("  @Override\n  public String toString() {\n    return left + \"\";\n  }", java('  //: said left + ""'))
        self.assertIn("   * @return the argument, 1 byte */\n  public static Arg of(byte value) {\n    return new Arg(value, 1);", java("  //: arg byte 1: A char"))


class CSharp(unittest.TestCase):
    def test_a_constructor_assigns_values_and_takes_the_other_fields(self):
        text = csharp("public sealed class Axle {\n  //: fields internal (int[] both)\n  /// <summary>The left end.</summary>\n"
                      "  public int Left { get; } = both[0];\n  private readonly byte[] key = Key(both);\n  public string Name { get; }\n}")
        self.assertIn("  public int Left { get; }\n  private readonly byte[] key;\n  public string Name { get; }\n", text)
        self.assertIn("  internal Axle(int[] both, string name) {\n    this.Left = both[0];\n    this.key = Key(both);\n    this.Name = name;\n  }\n}", text)

    def test_a_launch_is_written_for_each_number_of_arguments(self):
        text = csharp("  //: launches 2")
        self.assertIn("public unsafe void Launch(CudaStream stream, in LaunchConfig config, in Arg a) {", text)
        self.assertIn("    if (LaunchConfig.TailOf(config) != null || !(a.IsSmall && b.IsSmall)) {", text)
        self.assertIn("    to = b.Write(to, this, forms, 1, ref held);", text)
        self.assertNotIn("in Arg c", text)


    def test_one_line_stands_for_the_text_of_a_type(self):
        text = csharp('//: shown Axle axle: $"axle {Left}" -> Its left end')
        self.assertIn('  /// <summary>Its left end.</summary>\n  public override string ToString() { return Describe.Object("axle", () => $"axle {Left}"); }', text)

    def test_one_line_stands_for_the_text_of_all_properties(self):
        text = csharp("public class Hub {\n  public int Holes { get; }\n}\npublic sealed class Axle {\n  public static int Count { get; set; }\n"
                      "  /// <summary>The ends.</summary>\n  public IList<int> Ends { get; set; } = new List<int>();\n  public bool? Turns { get; }\n"
                      "  internal int Hidden { get; }\n\n  //: described\n}")
        self.assertIn('public override string ToString() { return Describe.Properties("Axle", Describe.Set("Ends", Ends), Describe.Set("Turns", Turns)); }', text)


class Python(unittest.TestCase):
    def test_members_that_the_layer_adds_are_found(self):
        tree = ast.parse('@member(Axle, "turn")\n@member(Axle, "spin", more="often")\ndef axle_turn(self: Axle) -> None: pass\n'
                         '@other\ndef plain(): pass\n@member(Axle, "ends", property)\ndef axle_ends(self: Axle) -> int: pass\n')
        self.assertEqual([(owner, name, kind, function.name) for owner, name, kind, function in stubs.added(tree)],
                         [("Axle", "turn", [], "axle_turn"), ("Axle", "spin", [], "axle_turn"), ("Axle", "ends", ["@property"], "axle_ends")])

    def test_a_parameter_accepts_what_the_native_module_does(self):
        function = ast.parse("def axle_put(self: Axle, key: bytes, *, times: int = 1) -> None: pass").body[0]
        self.assertEqual(stubs.of_function("put", [], function), ["def put(self, key: _Bytes, *, times: int=...) -> None: ..."])

    def test_a_definition_goes_into_its_class_or_makes_it(self):
        self.assertEqual(stubs.in_class("class Axle(_Object):\n    def turn(self): ...\n", "Axle", ["x: int"]),
                         "class Axle(_Object):\n    x: int\n    def turn(self): ...\n")
        self.assertEqual(stubs.in_class("", "Wheel", ["x: int"]), "\nclass Wheel(_Object):\n    x: int\n")


unittest.main()
