#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the rows of test_nulls.cpp: one per pointer parameter of the public header that must not be
NULL. A parameter may be NULL if its documentation begins with NULL or contains "; NULL:", or if it is only
passed on. The neutral rows are the functions of a handle alone, which cannot fail.

Usage: null_rows.py INCLUDE_FOLDER NULL_ROWS NEUTRAL_ROWS
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import header_text  # noqa: E402

DECLARATION = re.compile(r"/\*\*((?:(?!\*/).)*)\*/\s*CUCORE_API\s+cucore_status\s+(cucore_\w+)\s*\(([^;]*?)\)\s*;", re.S)
PARAMETER = re.compile(r"(?P<type>.*?)(?P<name>\w+)(?P<array>\[\w+\])?$")
HANDLES = {"device", "stream", "event", "pool", "buffer", "program", "objectcode", "kernel", "linker", "queue", "future", "cache",
           "prepared_launch", "checks", "graph", "executable", "observer", "external"}
PASSED_ON = {"user_data", "native"}  # any value is valid
WITHOUT_ROWS = {"cucore_log_set_callback", "cucore_error_create", "cucore_log_write"}

OF_A_HANDLE = re.compile(r"CUCORE_API\s+(?:const )?([\w ]+?[ *])\s*(cucore_\w+)\s*\(\s*(?:const )?cucore_(\w+) \*\w+\s*\)\s*;")
NEUTRAL = {"cucore_queue_descriptor": "-1"}  # other results are zero, null or ""

# The values of the parameters that a row does not test. Types first, then single parameters.
OF_TYPE = {
    "int32_t *": "o.i32()", "size_t *": "o.size()", "uint64_t *": "o.u64()", "float *": "o.f32()",
    "void *": "nullptr", "void **": "o.room<void*>()", "cucore_error *": "nullptr",
    "cucore_conditional": "CUCORE_CONDITIONAL_IF", "cucore_code_type": "PTX_CODE", "cucore_device_attribute_name": "ATTRIBUTE",
    "cucore_kernel_attribute_name": "REGISTERS", "cucore_default_stream": "LEGACY",
    "cucore_source_type": "CUDA_CPP", "cucore_library": "CUCORE_LIBRARY_NVRTC",
    "cucore_cache_outcome *": "o.room<cucore_cache_outcome>()", "cucore_buffer_destroy_fn": "takes_back_nothing", "cucore_cache_build_fn": "builds_nothing",
    "cucore_cache_report_fn": "goes_on", "cucore_launch_options *": "&w.launch", "cucore_access_window *": "nullptr", "cucore_comparison": "CUCORE_COMPARISON_EQUAL",
    "cucore_node *": "o.u64()", "cucore_node": "w.node", "cucore_host_fn": "does_nothing", "cucore_destroy_fn": "takes_back_nothing",
    "cucore_observer_options *": "&w.observing", "cucore_cache_remote *": "&w.remote", "cucore_argument *": "&w.argument",
    "int32_t": "0", "int64_t": "0", "uint32_t": "0", "uint64_t": "0", "size_t": "0", "int": "0",
}
OF_NAME = {
    "name": '"empty"', "label": '"a"', "path": '"a"', "url": '"file:///tmp"', "key": "w.cache_key",
    "name_or_path": '"cpu"', "threads": "32", "block_size_limit": "0",
}
BOXES = {"destination": "w.box_at(0)", "source": "w.box_at(8)", "width": "4", "height": "1", "depth": "1"}
OF_FUNCTION = {
    "cucore_buffer_copy_box": BOXES, "cucore_graph_add_copy_box": BOXES, "cucore_graph_set_copy_box": BOXES,
    "cucore_executable_set_copy_box": BOXES,
    "cucore_buffer_create": {"size": "4"}, "cucore_buffer_create_pinned": {"size": "4"},
    "cucore_buffer_create_managed": {"size": "4"}, "cucore_buffer_from_pool": {"size": "4"},
    "cucore_pool_allocate": {"size": "4"}, "cucore_pool_free": {"address": "64"},
    "cucore_buffer_from_native": {"address": "64", "size": "4"},
    "cucore_buffer_from_owner": {"address": "64", "size": "4"},
    "cucore_buffer_copy": {"source_offset": "8", "size": "4"},
    "cucore_buffer_fill": {"size": "4"},
    "cucore_graph_add_copy": {"source_offset": "8", "size": "4"}, "cucore_graph_add_fill": {"size": "4"},
    "cucore_graph_add_conditional": {"body_count": "1"},
    "cucore_graph_add_value": {"size": "4"},
    "cucore_graph_add_buffer": {"size": "4", "buffer": "o.handle<cucore_buffer>()"},
    "cucore_graph_set_copy": {"source_offset": "8", "size": "4"}, "cucore_graph_set_fill": {"size": "4"},
    "cucore_executable_set_copy": {"source_offset": "8", "size": "4"}, "cucore_executable_set_fill": {"size": "4"},
    "cucore_stream_write_value": {"size": "4"}, "cucore_stream_wait_value": {"size": "4"},
    "cucore_cache_link": {"target": "CUCORE_CODE_TYPE_CUBIN"},
    "cucore_device_uuid": {"out": "*o.room<uint8_t[16]>()"},
    "cucore_linker_link": {"target": "CUCORE_CODE_TYPE_CUBIN"},
    "cucore_objectcode_find_global": {"name": '"counter"'},
    "cucore_kernel_available_dynamic_shared": {"blocks": "1", "block_size": "32"},
    "cucore_kernel_occupancy": {"block_size": "32"},
}
# Arrays, by the name of the pointer: the values of the pointer and of the size behind it.
ARRAYS = {
    "name_expressions": ("nullptr", "0"), "out": ("nullptr", "0"), "buffer": ("nullptr", "0"),
    "arguments": ("nullptr", "0"), "items": ("w.one_item()", "1"), "images": ("w.two()", "2"),
    "data": ("w.bytes", "4"), "source": ("w.bytes", "4"), "destination": ("w.bytes", "4"),
    "pattern": ("w.bytes", "1"), "after": ("nullptr", "0"), "peers": ("nullptr", "0"), "nodes": ("nullptr", "0"),
}


class Parameter:
    def __init__(self, text, documentation):
        match = PARAMETER.match(" ".join(text.split()))
        self.name = match["name"]
        self.type = match["type"].replace("const ", "").strip()
        self.is_pointer = "*" in self.type or bool(match["array"]) or self.type.endswith("_fn")
        self.text = documentation.get(self.name, "")

    @property
    def handle(self):
        """"device" of cucore_device *; None for other types."""
        match = re.fullmatch(r"cucore_(\w+) \*", self.type)
        return match[1] if match and match[1] in HANDLES else None

    @property
    def must_not_be_null(self):
        may_be_null = re.search(r"^NULL(?! only)|; NULL:", self.text) or self.name in PASSED_ON
        return self.is_pointer and not may_be_null

    def value(self, function):
        """A valid value, in C++."""
        own = OF_FUNCTION.get(function, {}).get(self.name)
        if own:
            return own
        if self.handle:
            return "w.code" if self.handle == "objectcode" else f"w.{self.handle}"
        out = re.fullmatch(r"(cucore_\w+) \*\*", self.type)
        if out:
            return f"o.handle<{out[1]}>()"
        info = re.fullmatch(r"(cucore_\w+_info) \*", self.type)
        if info:
            return f"w.info<{info[1]}>({info[1].upper()}_INIT)"
        if self.type.endswith("_options *") and self.text.startswith("NULL"):
            return "nullptr"
        value = OF_NAME.get(self.name) if self.type in ("char *", "uint8_t") else None
        value = value or OF_TYPE.get(self.type)
        if value is None:
            sys.exit(f"{function}: null_rows.py has no value for {self.type} {self.name}")
        return value


def functions(text):
    """(name, parameters) of each function that fails with a status."""
    declarations = DECLARATION.findall(text)
    if len(declarations) != len(re.findall(r"CUCORE_API\s+cucore_status\s", text)):
        sys.exit("null_rows.py: a function of the header has no comment directly before it")
    for comment, name, parameters in declarations:
        pieces = [" ".join(piece.split()) for piece in parameters.split(",")]
        if name in WITHOUT_ROWS or pieces[-1] != "cucore_error **error":
            continue
        documentation = {key: " ".join(text.replace("*", " ").split())
                         for key, text in re.findall(r"@param\s+(\w+)\s+((?:(?!@).)*)", comment, re.S)}
        yield name, [Parameter(piece, documentation) for piece in pieces[:-1]]


def is_array(parameters, index):
    following = parameters[index + 1] if index + 1 < len(parameters) else None
    return (parameters[index].is_pointer and parameters[index].name in ARRAYS and following is not None
            and following.type == "size_t" and re.search(r"count$|size$|capacity$", following.name) is not None)


def values(function, parameters):
    found = []
    for index, parameter in enumerate(parameters):
        if is_array(parameters, index):
            found.append(ARRAYS[parameter.name][0])
        elif index > 0 and is_array(parameters, index - 1):
            found.append(ARRAYS[parameters[index - 1].name][1])
        else:
            found.append(parameter.value(function))
    return found


def rows(text):
    for function, parameters in functions(text):
        for index, parameter in enumerate(parameters):
            if not parameter.must_not_be_null:
                continue
            arguments = values(function, parameters)
            arguments[index] = parameter.name if parameter.handle else "nullptr"
            if is_array(parameters, index) and arguments[index + 1] == "0":
                arguments[index + 1] = "1"
            kind = f"H({parameter.handle}, " if parameter.handle else "P("
            yield f"{kind}{', '.join([parameter.name, function] + arguments)}),"


def neutral_check(function, result):
    """An expression of C++ about the value for NULL."""
    if result == "char *":
        return "empty(value)"
    return f"value == {NEUTRAL.get(function, 'decltype(value){}')}"


def neutral_rows(text):
    for result, function, handle in OF_A_HANDLE.findall(text):
        if function.endswith("_retain"):
            yield f"RETAIN({handle}),"
        elif not function.endswith("_release"):
            yield f"N({handle}, {function}, {neutral_check(function, result.strip())}),"


def write(output, lines):
    Path(output).write_text("// Written by null_rows.py.\n" + "\n".join(lines) + "\n")


def main(include_folder, null_output, neutral_output):
    text = header_text.read(Path(include_folder) / "cucore.h")
    write(null_output, rows(text))
    write(neutral_output, neutral_rows(text))


if __name__ == "__main__":
    main(*sys.argv[1:])
