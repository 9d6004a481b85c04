# SPDX-License-Identifier: Apache-2.0
"""The conventions between a header and the classes of the bindings, and what the generator refuses."""
import sys
import tempfile
import unittest
from pathlib import Path

BINDINGS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BINDINGS / "tools"))
import api  # noqa: E402
import classes  # noqa: E402
import interface  # noqa: E402
import places  # noqa: E402

HEAD = """
/** Turns. */
typedef struct wheel_axle wheel_axle;
/** How to make one. */
typedef struct wheel_axle_options {
  size_t        struct_size;
  int32_t       spokes;
  cucore_toggle locked;
} wheel_axle_options;
"""
CREATE = """/** Makes one. */
WHEEL_API cucore_status wheel_axle_create(const wheel_axle_options *options, wheel_axle **out, cucore_error **error);
"""


def written(functions, table="", by_hand=(), language=""):
    """The text of the classes of a header with these functions."""
    with tempfile.TemporaryDirectory() as folder:
        header, rows = Path(folder, "wheel.h"), Path(folder, "wheel.toml")
        header.write_text(HEAD + functions, encoding="utf-8")
        rows.write_text(table, encoding="utf-8")
        return "\n".join(classes.lines(api.Api([header], set(by_hand), [rows], language)))


def function(declaration):
    return f"/** Does it. */\nWHEEL_API {declaration};\n"


class Conventions(unittest.TestCase):
    def test_a_constructor_takes_the_fields_of_its_options(self):
        text = written(CREATE)
        self.assertIn("Axle(int32_t spokes = 0, cucore_toggle locked = CUCORE_TOGGLE_DEFAULT) {", text)
        self.assertIn("wheel_axle_options options = WHEEL_AXLE_OPTIONS_INIT;", text)
        self.assertIn("~Axle() { wheel_axle_release($self); }", text)

    def test_the_comment_of_the_type_is_that_of_the_class(self):
        self.assertIn("/** Turns. */\nstruct Axle {", written(CREATE))

    def test_no_error_and_no_argument_is_a_property(self):
        text = written(function("int32_t wheel_axle_speed(const wheel_axle *axle)"))
        self.assertIn("%quick(Axle::speed)", text)
        self.assertIn("    int32_t speed;", text)

    def test_is_and_has_are_booleans(self):
        text = written(function("int32_t wheel_axle_is_locked(const wheel_axle *axle)"))
        self.assertIn("bool Axle_is_locked_get(Axle *self) { return wheel_axle_is_locked(self) != 0; }", text)

    def test_one_output_is_the_result_and_two_are_a_pair(self):
        text = written(function("cucore_status wheel_axle_turn(wheel_axle *axle, double by, int32_t *out, cucore_error **error)") +
                       function("cucore_status wheel_axle_ends(wheel_axle *axle, size_t *left, uint64_t *right, cucore_error **error)"))
        self.assertIn("int32_t turn(double by) {\n      return made<int32_t>(wheel_axle_turn, held($self), by);", text)
        self.assertIn("return pair_of<size_t, uint64_t>(wheel_axle_ends, held($self));", text)

    def test_a_handle_is_held_and_may_be_null_by_a_row(self):
        declaration = function("cucore_status wheel_axle_join(wheel_axle *axle, const wheel_axle *other, cucore_error **error)")
        self.assertIn("void join(Axle *other) {\n      ok(wheel_axle_join, held($self), held(other));", written(declaration))
        self.assertIn("void join(Axle *other_or_null)", written(declaration, '[nullable]\nwheel_axle_join = "other"'))

    def test_without_the_object_a_function_is_static(self):
        self.assertIn("static int32_t count() {", written(function("cucore_status wheel_axle_count(int32_t *out, cucore_error **error)")))

    def test_a_function_that_cannot_fail_may_have_no_object(self):
        self.assertIn("static uint32_t version() {\n      return wheel_axle_version();", written(function("uint32_t wheel_axle_version(void)")))
        self.assertIn("static int32_t largest(int32_t size) {\n      return wheel_axle_largest(size);",
                      written(function("int32_t wheel_axle_largest(int32_t size)")))

    def test_the_longest_name_of_a_type_owns_a_function(self):
        cap = "/** Covers. */\ntypedef struct wheel_axle_cap wheel_axle_cap;\n"
        text = written(cap + function("int32_t wheel_axle_cap_size(const wheel_axle_cap *cap)"))
        self.assertIn("int32_t AxleCap_size_get(AxleCap *self)", text)
        self.assertNotIn("cap_size", text.replace("wheel_axle_cap_size", ""))

    def test_the_macro_of_a_library_may_have_several_words(self):
        declaration = "/** Does it. */\nBIG_WHEEL_API int32_t wheel_axle_speed(const wheel_axle *axle);\n"
        self.assertIn("int32_t speed;", written(declaration))

    def test_rows_change_names_and_defaults(self):
        declaration = function("cucore_status wheel_axle_spin(wheel_axle *axle, int32_t times, cucore_error **error)")
        text = written(declaration, '[members]\nwheel_axle_spin = "rotate"\n[parameters]\nwheel_axle_spin = { times = "count" }\n'
                                    '[defaults]\nwheel_axle_spin = { times = "1" }')
        self.assertIn("void rotate(int32_t count = 1) {", text)

    def test_a_list_of_nodes_is_one_parameter_and_one_result(self):
        text = written(function("cucore_status wheel_axle_add(wheel_axle *axle, const cucore_node *after, size_t after_count, "
                                "cucore_node *out, cucore_error **error)") +
                       function("cucore_status wheel_axle_all(const wheel_axle *axle, cucore_node of, cucore_node *nodes, "
                                "size_t capacity, size_t *count, cucore_error **error)"))
        self.assertIn("cucore_node add(const cucore_node *after, size_t after_count) {\n"
                      "      return made<cucore_node>(wheel_axle_add, held($self), after, after_count);", text)
        self.assertIn("Nodes all(cucore_node of) {\n      return nodes_of(wheel_axle_all, held($self), of);", text)

    def test_bytes_with_a_size_of_their_name_are_one_parameter(self):
        text = written(function("cucore_status wheel_axle_paint(wheel_axle *axle, size_t size, const void *pattern, "
                                "size_t pattern_size, cucore_error **error)"))
        self.assertIn("void paint(size_t size, const void *pattern, size_t pattern_size) {\n"
                      "      ok(wheel_axle_paint, held($self), size, pattern, pattern_size);", text)

    def test_a_function_may_be_missing_in_one_language(self):
        declaration = function("int32_t wheel_axle_speed(const wheel_axle *axle)")
        rows = '[unreachable_java]\n"wheel_axle_sp*" = "too fast"\n'
        self.assertNotIn("speed", written(declaration, rows, language="java"))
        self.assertIn("speed", written(declaration, rows, language="python"))

    def test_a_function_without_a_convention_stops_the_generator(self):
        declaration = function("cucore_status wheel_axle_watch(wheel_axle *axle, wheel_fn fn, cucore_error **error)")
        with self.assertRaisesRegex(classes.Unconventional, 'wheel_axle_watch: no convention covers the parameter fn, "wheel_fn"'):
            written(declaration)
        self.assertNotIn("watch", written(declaration, by_hand=["wheel_axle_watch"]))


class Languages(unittest.TestCase):
    LINES = ["#if defined(SWIGPYTHON)", "python", "#elif defined(SWIGJAVA)", "java", "#else", "other", "#endif",
             "#if defined(SWIGWORDSIZE64)", "wide", "#else", "narrow", "#endif", "#if !defined(SWIGJAVA)", "not java", "#endif"]

    def test_conditions_on_the_language_are_decided_and_others_stay(self):
        others = self.LINES[7:12]
        self.assertEqual(interface.of_language(self.LINES, "python"), ["python", *others, "not java"])
        self.assertEqual(interface.of_language(self.LINES, "java"), ["java", *others])
        self.assertEqual(interface.of_language(self.LINES, "csharp"), ["other", *others, "not java"])

    def test_the_place_of_a_declaration_of_python(self):
        found = lambda *line: (lambda p: (p.owner, p.name, p.is_property))(places.python_place(*line))
        self.assertEqual(found("def turn(self) -> None:", "Axle", ""), ("Axle", "turn", False))
        self.assertEqual(found("def speed(self) -> int:", "Axle", "@property"), ("Axle", "speed", True))
        self.assertEqual(found('@member(Axle, "speed", property)', "", ""), ("Axle", "speed", True))
        self.assertEqual(found("def turn(axle):", "", ""), ("", "turn", False))

    def test_the_place_of_a_declaration(self):
        found = lambda text: (lambda p: (p.name, p.is_property))(places.braced_place("Axle", text))
        self.assertEqual(found("public (int Left, int Right) Ends { get {"), ("Ends", True))
        self.assertEqual(found("public static int Count { get { return 0; } }"), ("Count", True))
        self.assertEqual(found("public void Write<T>(T[] source) where T : struct {"), ("Write", False))
        self.assertEqual(found("public Axle(int spokes) : this(spokes, true) {}"), ("", False))


unittest.main()
