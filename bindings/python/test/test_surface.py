# SPDX-License-Identifier: Apache-2.0
"""Signatures and docstrings of all public objects, in Python's words, and the cost of the import."""
import enum
import inspect
import os
import re
import resource
import subprocess
import sys

import pytest

import cucore
from conftest import run_python

# Words of C, and of SWIG.
FOREIGN = re.compile(r"cucore_\w|CUCORE_[A-Z]+_[A-Z]|\bnew_\w|\bNULL\b|\bsize_t\b|\bu?int\d+_t\b|Returns status|:type |struct_size")


def public_objects():
    """(path, object) of everything that users may call or read."""
    for name in cucore.__all__:
        value = getattr(cucore, name)
        yield name, value
        if not isinstance(value, type):
            continue
        for owner in value.__mro__:
            if owner.__module__.startswith(("cucore", "_cucore")):
                for member in vars(owner):
                    if not member.startswith("_"):
                        yield f"{name}.{member}", getattr(value, member)


OBJECTS = dict(public_objects())


def is_made_by_a_call(type):
    """False for classes whose objects only other calls return."""
    return type.__name__ not in ("ObjectCode", "Kernel", "Future", "Launcher", "PreparedLaunch", "ExecutableGraph", "External")


def has_signature(value):
    is_plain_class = isinstance(value, type) and is_made_by_a_call(value) and not issubclass(value, BaseException)
    return is_plain_class or inspect.isroutine(value)


def signature_of(value):
    return None if isinstance(value, type) and issubclass(value, enum.Enum) else inspect.signature(value)


def test_every_callable_has_a_signature():
    missing = []
    for path, value in OBJECTS.items():
        if has_signature(value):
            try:
                signature_of(value)
            except ValueError as error:
                missing.append(f"{path}: {error}")
    assert not missing and len(OBJECTS) > 300


def test_classes_without_a_constructor_cannot_be_called():
    for each in (cucore.ObjectCode, cucore.Kernel, cucore.Future, cucore.Launcher, cucore.ExecutableGraph, cucore.External):
        with pytest.raises(TypeError) as caught:
            each()
        assert not FOREIGN.search(str(caught.value)), caught.value


def test_every_object_is_documented_in_words_of_python():
    wrong = []
    for path, value in OBJECTS.items():
        is_value = isinstance(value, (int, str)) and not isinstance(value, type)
        text = "" if is_value else value.__doc__
        for name in ("CUCORE_CACHE_DIR", "CUCORE_STATUS_UNKNOWN"):  # a variable of the environment, and a result
            text = (text or "").replace(name, "")
        if not is_value and not (text and text.strip()):
            wrong.append(f"{path}: no docstring")
        wrong += [f"{path}: {found}" for found in FOREIGN.findall(text or "")]
    assert not wrong


def test_docstrings_describe_only_parameters_that_exist():
    wrong, described = [], 0
    for path, value in OBJECTS.items():
        names = re.findall(r"^:param (\w+):", getattr(value, "__doc__", None) or "", re.M)
        if not inspect.isroutine(value):
            assert not names or isinstance(value, type), path
            continue
        known = inspect.signature(value).parameters
        wrong += [f"{path}: {name}" for name in names if name not in known]
        described += len(names)
    assert not wrong and described > 60


def test_signatures_are_those_of_the_calls(device):
    assert str(inspect.signature(cucore.Device.default_stream)) == "(self, kind=1, /)"
    assert list(inspect.signature(device.can_access_peer).parameters) == ["peer"]
    with pytest.raises(TypeError):
        device.can_access_peer(peer=device)  # only a position
    assert device.default_stream(1) == device.default_stream()
    kernel = inspect.signature(cucore.Kernel.occupancy).parameters
    assert list(kernel) == ["self", "device", "block_size", "dynamic_shared"] and kernel["dynamic_shared"].default == 0


def test_help_of_a_kernel_explains_launching():
    text = cucore.Kernel.__doc__
    for form in ("kernel[grid, block](*args)", "kernel[grid, block, stream](*args)", "kernel[config, stream](*args)"):
        assert form in text


def test_messages_name_what_users_call(device, stream, code, tmp_path):
    calls = [lambda: cucore.Device("x"), lambda: cucore.Device(1, 2), lambda: cucore.Stream(), lambda: cucore.Buffer(1),
             lambda: cucore.Buffer(device, -1, stream), lambda: cucore.Event(), lambda: cucore.Program(),
             lambda: cucore.Program("x").compile("nothing"), lambda: cucore.Program("x").compile(1.5),
             lambda: cucore.Cache(tmp_path).get(), lambda: cucore.Cache(tmp_path).remove("x" * 32),
             lambda: stream.wait_event(stream), lambda: code.kernel(), lambda: code.kernel(1), lambda: device.attribute()]
    for call in calls:
        with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
            call()
        assert not re.search(r"new_|\b_\w+\(\)|_cucore|cucore_", str(caught.value)), caught.value


@pytest.mark.parametrize("call, nearest", [
    (lambda: cucore.Program("", archh="compute_80"), "arch"), (lambda: cucore.Program("", header={}), "headers"),
    (lambda: cucore.Program("", max_registers=3), "max_register_count"), (lambda: cucore.Linker(arhc="sm_80"), "arch"),
    (lambda: cucore.Cache(max_byte=1), "max_bytes")])
def test_unknown_option_names_the_nearest(call, nearest):
    with pytest.raises(TypeError, match=f"an unexpected keyword argument '\\w+'; did you mean '{nearest}'\\?$"):
        call()


def test_option_like_no_other_has_no_suggestion():
    with pytest.raises(TypeError) as caught:
        cucore.Program("", qqqqqqqq=1)
    assert str(caught.value) == "Program() got an unexpected keyword argument 'qqqqqqqq'"


def _processor_time(program, count):
    """Seconds of the processor for a number of processes, as the machine's load does not change them much."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(count):
        subprocess.run([sys.executable, "-c", program], check=True, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_import_takes_a_fraction_of_asyncio_and_numpy():
    _processor_time("import cucore, asyncio, numpy", 1)  # reads the files
    ours = min(_processor_time("import cucore", 3) for _ in range(3)) - min(_processor_time("pass", 3) for _ in range(3))
    theirs = min(_processor_time("import asyncio, numpy", 3) for _ in range(3))
    assert ours < theirs


def test_import_loads_no_module_that_few_programs_use():
    # Python's own start may load some, for the packages that are installed.
    out, _ = run_python("import sys; before = set(sys.modules); import cucore; print(*[m for m in ('asyncio', 'numpy', "
                        "'ctypes', 'datetime', 'difflib', 'glob', 'inspect', 'platform', 'uuid') if m in set(sys.modules) - before])")
    assert out.strip() == ""


FALLBACK = "import warnings\nwith warnings.catch_warnings(record=True) as seen:\n" \
           "    warnings.simplefilter('always')\n    import cucore\n    %s\n    cucore.Device(); cucore.Device()\n" \
           "for each in seen: print(each.category.__name__, each.message)"


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="the machine has a GPU")
def test_fallback_to_the_cpu_device_is_told_once():
    out, _ = run_python(FALLBACK % "pass", CUCORE_DRIVER="auto")
    lines = out.splitlines()
    assert len(lines) == 1 and lines[0].startswith("UserWarning cucore uses the CPU device, because the NVIDIA driver")
    assert "CUCORE_DRIVER=cpu" in lines[0]
    assert run_python(FALLBACK % "pass", CUCORE_DRIVER="cpu")[0] == ""
    assert run_python(FALLBACK % "cucore.driver_select('cpu')", CUCORE_DRIVER="auto")[0] == ""


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer reserves terabytes")
def test_lists_that_find_no_memory_are_a_memory_error():
    """Of nodes and of texts, which are converted before the call."""
    assert run_python("""
import resource
import cucore
graph = cucore.Graph(cucore.Device(0))
nodes, texts = [1] * (1 << 23), ("x",) * (1 << 23)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (16 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for call in (lambda: graph.empty(after=nodes),
             lambda: cucore._cucore.ObjectCode._create(cucore.CodeType.PTX, b"", "", "", texts, texts)):
    try:
        call()
    except MemoryError as error:
        print(type(error).__name__)
""")[0] == "MemoryError\nMemoryError\n"
