# SPDX-License-Identifier: Apache-2.0
"""Scenarios about objects: properties, errors, closing, lifetime. See tests/bindings/scenarios.md."""
import copy
import errno
import gc
import importlib.util
import pickle
import re
import weakref

import numpy as np
import pytest

import cucore
from conftest import ON_GPU, SOURCE, Gate, run_python


def test_properties(device, code):
    assert device.ordinal == 0 and device.is_emulated is not ON_GPU and device.name and device.pci_bus_id.count(":") == 2
    assert device.arch == "sm_%d%d" % device.compute_capability
    assert 0 < device.memory.free <= device.memory.total and len(device.uuid.bytes) == 16
    assert device.stream_priorities.greatest <= device.stream_priorities.least == 0
    assert device.attribute(cucore.DeviceAttribute.WARP_SIZE) == device.attribute(10) == 32
    assert device.can_access_peer(device) in (True, False) and cucore.devices()[0] == device
    assert len(cucore.devices()) == cucore.Device.count() and (ON_GPU or cucore.Device.count() == 1)
    with cucore.Stream(device, nonblocking=False, priority=-1) as stream, cucore.Event(device, timing=True) as event:
        assert stream.device == event.device == device and stream.native and event.native
        assert event.has_timing and not cucore.Event(device).has_timing and stream.query() and event.query()
        with cucore.Buffer(device, 24, stream) as buffer:
            assert buffer.device == device and buffer.size == len(buffer) == 24
            assert buffer.address == buffer.native != 0 and buffer.host_pointer == 0
    with cucore.Buffer.pinned(device, 8) as pinned, cucore.Buffer.managed(device, 8) as managed:
        assert pinned.host_pointer and managed.host_pointer
        borrowed = cucore.Buffer.from_native(device, managed.address, 4)
        assert (borrowed.address, borrowed.size) == (managed.address, 4)
    program = cucore.Program(SOURCE)
    assert program.backend is cucore.Backend.NVRTC
    assert code.type is cucore.CodeType.PTX and code.name == "kernels.cu" and code.arch.startswith("compute_")
    assert code.log == "" and code.diagnostics == () and code.images == (code,) and "producer" in code.metadata
    assert code.signature is cucore.SignatureState.UNSIGNED and code.signature_key == ""
    assert code.data == bytes(code) and b".version" in code.data and code.native
    by_name = {symbol.expression or symbol.lowered_name: symbol for symbol in code.symbols}
    assert code.symbol_count == len(code.symbols)
    assert by_name["scale"].kind is cucore.SymbolKind.KERNEL and by_name["counter"].kind is cucore.SymbolKind.GLOBAL
    assert by_name["scale"].parameters == ((0, 4), (8, 8), (16, 4)) and by_name["counter"].size == 4
    assert by_name["fill<int>"].lowered_name.startswith("_Z4fill")
    found = code.find_global("counter", device)
    assert found.size == 4 and found.address
    kernel = code.kernel("scale")
    assert code.is_loaded and kernel.name == "scale" and kernel.native and kernel.parameter_count == 3
    assert kernel.parameters == by_name["scale"].parameters and kernel.parameter(1, device) == (8, 8)
    assert kernel.attribute(cucore.KernelAttribute.MAX_THREADS_PER_BLOCK, device) > 0
    assert kernel.occupancy(device, 256) > 0 and kernel.max_potential_block_size(device)[1] > 0
    assert kernel.available_dynamic_shared(device, 1, 256) > 0
    config = cucore.LaunchConfig((4, 2), [8], cluster=2, dynamic_shared=16, cooperative=True, priority=-1)
    assert (config.grid, config.block, config.cluster) == ((4, 2, 1), (8, 1, 1), (2, 1, 1))
    assert (config.dynamic_shared, config.cooperative, config.priority) == (16, True, -1)
    for cls in (cucore.Device, cucore.Stream, cucore.Event, cucore.Buffer, cucore.Program, cucore.Linker):
        assert cls.__text_signature__ and len(cls.__doc__.strip()) > 30, cls
    assert "use_fast_math" in cucore.Program.__doc__ and "priority" in cucore.Stream.__doc__
    linker = cucore.Linker(arch="sm_90")
    assert linker.backend in (cucore.Backend.NVJITLINK, cucore.Backend.DRIVER) and linker.log == ""


ERRORS = {
    status: next(c for c in vars(cucore).values() if isinstance(c, type) and issubclass(c, cucore.Error)
                 and c.__name__.lower() == {"IO": "ioerror", "CUDA": "cudaerror"}.get(
                     status.name, status.name.replace("_", "").lower() + "error"))
    for status in cucore.Status if status is not cucore.Status.OK
}


def provoke(device, code):
    """(class, a function that raises it) for each that needs no other process and no broken
    machine."""
    ptx = code.data
    unrecorded = cucore.Event(device, timing=True)
    with cucore.Stream(device) as stream:
        running = cucore.Event(device, timing=True)
        data = cucore.Buffer(device, 64, stream)
        data.write(bytes(64), stream)
        start = cucore.Event(device, timing=True)
        start.record(stream)
        gate = Gate(device, code)
        gate.hold(stream)
        running.record(stream)
        yield cucore.NotReadyError, lambda: start.elapsed(running)
        gate.open()
        yield cucore.InvalidArgumentError, lambda: cucore.Device(1000)
        yield cucore.InvalidStateError, lambda: unrecorded.elapsed(unrecorded)
        yield cucore.NotFoundError, lambda: code.kernel("no such kernel")
        yield cucore.FileMissingError, lambda: cucore.ObjectCode.from_file(cucore.CodeType.PTX, "/no/such/file")
        yield cucore.IoError, lambda: cucore.ObjectCode.from_file(cucore.CodeType.PTX, "/")
        yield cucore.CompilationError, lambda: cucore.Program("this is not CUDA").compile()
        yield cucore.LinkingError, lambda: link("extern __device__ int f(); __global__ void k(int *p) { *p = f(); }")
        yield cucore.InvalidCodeError, lambda: cucore.ObjectCode.deserialize(b"nothing")
        yield cucore.SignatureError, lambda: cucore.ObjectCode.deserialize(
            code.serialize(), signature=cucore.SignaturePolicy.REQUIRED, verify=[HMAC])
        yield cucore.OutOfDeviceMemoryError, lambda: cucore.Buffer(device, 1 << 50, stream)
        yield cucore.LaunchError, lambda: cucore.launch(
            stream, cucore.LaunchConfig(1 << 20, 1, cooperative=True), code.kernel("scale"), 1.0, data, 1)
        yield cucore.InvalidHandleError, lambda: closed(device).synchronize()
    assert ptx


HMAC = cucore.Key(cucore.KeyAlgorithm.HMAC_SHA256, b"secret")


def link(source):
    linker = cucore.Linker(arch="sm_90")
    linker.add(cucore.Program(source, arch="sm_90", relocatable_device_code=True).compile(cucore.CodeType.CUBIN))
    return linker.link()


def closed(device):
    stream = cucore.Stream(device)
    stream.close()
    return stream


def test_error_classes(device, code):
    assert len(ERRORS) == len(set(ERRORS.values())) == 29
    seen = set()
    for expected, call in provoke(device, code):
        with pytest.raises(cucore.Error) as caught:
            call()
        assert caught.type is expected and issubclass(expected, ERRORS[caught.value.status]), repr(caught.value)
        seen.add(expected)
    assert len(seen) == 13
    missing, _ = run_python("import cucore\ntry: cucore.Program('').compile()\n"
                            "except cucore.LibraryMissingError as e: print(int(e.status))", CUCORE_NVRTC="/nowhere")
    nothing, _ = run_python("import cucore\ntry: cucore.Device(0)\nexcept cucore.NoDeviceError as e: print(int(e.status))",
                            CUCORE_CPU_DEVICES="0", CUDA_VISIBLE_DEVICES="")
    old, _ = run_python("import cucore\nd = cucore.Device(0)\nk = cucore.Program('extern \"C\" __global__ void k() {}')"
                        ".compile().kernel('k')\ntry: cucore.max_active_clusters(k, d, cucore.LaunchConfig(2, 1, cluster=2))\n"
                        "except cucore.UnsupportedError as e: print(int(e.status))", CUCORE_DRIVER="cpu", CUCORE_CPU_PROFILE="sm_80")
    assert (missing.strip(), nothing.strip(), old.strip()) == ("201", "203", "107")
    for status, cls in ERRORS.items():  # including those that cannot be provoked
        made = cucore._errors._make(int(status), "words", "", "cucore", 0, "", ())
        assert type(made) is cls and made.status is status and str(made) == "words"
    assert issubclass(cucore.InvalidArgumentError, ValueError) and issubclass(cucore.NotFoundError, LookupError)
    assert issubclass(cucore.IndexError, IndexError) and "IndexError" not in cucore.__all__
    assert issubclass(cucore.DtypeError, TypeError) and issubclass(cucore.NotPermittedError, PermissionError)
    assert type(cucore._errors._make(4711, "later", "", "", 0, "", ())) is cucore.Error


def test_error_details():
    source = '#warning "schön"\n__global__ void k() { undeclared_name; }\n'
    with pytest.raises(cucore.CompilationError) as caught:
        cucore.Program(source, name="übel.cu").compile()
    error = caught.value
    assert error.status is cucore.Status.COMPILATION and error.origin == "nvrtc" and error.native_code != 0
    assert error.native_name == "NVRTC_ERROR_COMPILATION" and "übel.cu" in error.message
    assert "undeclared_name" in error.log and error.log in str(error) and error.log not in error.message
    severities = {d.severity for d in error.diagnostics}
    assert {cucore.Severity.WARNING, cucore.Severity.ERROR} <= severities
    wrong = next(d for d in error.diagnostics if d.severity is cucore.Severity.ERROR)
    assert (wrong.file, wrong.line) == ("übel.cu", 2) and "undeclared_name" in wrong.text
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and again.args == error.args and again.diagnostics == error.diagnostics
    assert copy.copy(error).log == error.log


def all_kinds(device, code):
    stream = cucore.Stream(device)
    return [cucore.Device(0), stream, cucore.Event(device), cucore.Buffer(device, 8, stream), cucore.Program("x"),
            cucore.Linker(), cucore.ObjectCode.deserialize(code.serialize()),
            cucore.ObjectCode.deserialize(code.serialize()).kernel("scale")]


def test_subclasses(device, code):
    class Named(cucore.Stream):
        def __init__(self, device, name):
            super().__init__(device)
            self.name = name

    stream = Named(device, "mine")
    seen = weakref.ref(stream)
    cucore.Event(device).record(stream)
    code.kernel("scale")[1, 1, stream](1.0, None, 0)
    stream.synchronize()
    stream.__init__(device, "again")  # useless, and harmless
    assert stream.name == "again" and stream.device == device and repr(stream).startswith("<")
    with pytest.raises(TypeError):
        copy.copy(stream)
    del stream
    gc.collect()
    assert seen() is None
    event = cucore.Event(device)
    event.__init__(device)
    event.note = "objects have attributes"
    assert event.note and event.query()


def test_close_twice(device, code):
    for each in all_kinds(device, code):
        assert not each.closed
        with each as entered:
            assert entered is each
        each.close()
        each.close()
        assert each.closed and repr(each) == f"<cucore.{type(each).__name__} closed>"
    assert device.name  # another reference to the same native device


METHODS = {
    "Device": ["attribute", "can_access_peer", "synchronize", "default_stream", "reset"],
    "Stream": ["synchronize", "query", "wait_event", "wait_stream", "__cuda_stream__"],
    "Event": ["record", "synchronize", "query", "elapsed"],
    "Buffer": ["set_stream", "write", "read", "copy_from", "fill", "__dlpack__", "__dlpack_device__"],
    "Program": ["compile"], "Linker": ["add", "link"],
    "ObjectCode": ["serialize", "load", "kernel", "find_global", "__reduce__", "image"],
    "Kernel": ["attribute", "set_attribute", "parameter", "occupancy", "max_potential_block_size",
               "available_dynamic_shared"],
}


def test_use_after_close(device, code, stream):
    cases = {
        "attribute": (1, device), "can_access_peer": (device,), "wait_event": (cucore.Event(device),),
        "wait_stream": (stream,), "record": (stream,), "elapsed": (cucore.Event(device),), "set_stream": (stream,),
        "write": (b"", stream), "read": (bytearray(), stream), "copy_from": (cucore.Buffer(device, 1, stream), 1, stream),
        "fill": (b"a", 1, stream), "add": (code,), "load": (device,), "kernel": ("k",), "find_global": ("g", device),
        "set_attribute": (8, device, 0), "parameter": (0,), "occupancy": (device, 1), "image": (0,),
        "max_potential_block_size": (device,), "available_dynamic_shared": (device, 1, 1),
    }
    for each in all_kinds(device, code):
        each.close()
        name = type(each).__name__
        for method in METHODS[name]:
            arguments = cases.get(method, ())[:1] if name == "Device" else cases.get(method, ())
            with pytest.raises(cucore.InvalidHandleError, match="closed"):
                getattr(each, method)(*arguments)
        for attribute in dir(type(each)):
            member = getattr(type(each), attribute)
            if attribute.startswith("_") or attribute == "closed" or callable(member):
                continue
            with pytest.raises(cucore.InvalidHandleError, match="closed"):
                getattr(each, attribute)
        with pytest.raises(cucore.InvalidHandleError, match="closed"):
            each.__enter__()
    gone = cucore.Stream(device)
    gone.close()
    for call in (lambda: cucore.Event(device).record(gone), lambda: stream.wait_stream(gone),
                 lambda: cucore.Buffer(device, 1, gone),
                 lambda: cucore.launch(gone, cucore.LaunchConfig(1, 1), code.kernel("scale"), 1.0, None, 0),
                 lambda: code.kernel("scale")[1, 1, gone](1.0, None, 0)):
        with pytest.raises(cucore.InvalidHandleError, match="Stream is closed"):
            call()
    data = cucore.Buffer(device, 4, stream)
    data.close()
    with pytest.raises(cucore.InvalidHandleError):
        code.kernel("scale")[1, 1, stream](1.0, data, 1)
    with pytest.raises(BufferError):
        memoryview(data)


def test_children_outlive_parents():
    device = cucore.Device(0)
    stream = cucore.Stream(device)
    program = cucore.Program(SOURCE)
    code = program.compile()
    kernel = code.kernel("scale")
    data = cucore.Buffer(device, 4, stream)
    other = cucore.Stream(device)
    for parent in (program, code, stream, device):
        parent.close()
    del program, code, stream, device
    gc.collect()
    import numpy as np
    data.write(np.float32(3), other)
    kernel[1, 1, other](5.0, data, 1)
    out = np.zeros(1, np.float32)
    data.read(out, other)
    assert out[0] == 15


def test_wrong_types(device, code, stream):
    kernel = code.kernel("scale")
    for call, error in [
        (lambda: cucore.Stream(None), TypeError), (lambda: cucore.Stream(stream), TypeError),
        (lambda: cucore.Stream(), TypeError), (lambda: cucore.Stream(device, colour=1), TypeError),
        (lambda: cucore.Stream(device, nonblocking="yes"), TypeError), (lambda: cucore.Event(7), TypeError),
        (lambda: cucore.Buffer(device, -1, stream), OverflowError),
        (lambda: cucore.Buffer(device, 1.5, stream), TypeError), (lambda: cucore.Device("0"), TypeError),
        (lambda: cucore.Device(1 << 40), OverflowError), (lambda: device.attribute("warp size"), ValueError), (lambda: device.attribute(b"WARP_SIZE"), TypeError),
        (lambda: device.attribute(True), TypeError), (lambda: cucore.ObjectCode(), (TypeError, AttributeError)),
        (lambda: cucore.Kernel(), (TypeError, AttributeError)),
        (lambda: cucore.ObjectCode.from_bytes(99, b""), cucore.InvalidArgumentError),
        (lambda: cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, None), TypeError),
        (lambda: code.kernel(None), cucore.InvalidArgumentError), (lambda: code.kernel(b"scale"), TypeError),
        (lambda: code.kernel("a\0b"), ValueError), (lambda: cucore.LaunchConfig(1), TypeError),
        (lambda: cucore.LaunchConfig(-1, 1), ValueError), (lambda: cucore.LaunchConfig((1, 2, 3, 4), 1), ValueError),
        (lambda: cucore.LaunchConfig((), 1), ValueError), (lambda: cucore.LaunchConfig(1.5, 1), TypeError),
        (lambda: cucore.LaunchConfig(True, 1), TypeError), (lambda: kernel[1], TypeError),
        (lambda: kernel[0, 1, stream](1.0, None, 0), cucore.InvalidArgumentError),
        (lambda: kernel[1, 1, device](1.0, None, 0), TypeError), (lambda: kernel[1, 1, stream](1.0, None, n=0), TypeError),
        (lambda: cucore.launch(stream, cucore.LaunchConfig(1, 1)), TypeError),
        (lambda: cucore.launch(stream, (1, 1), kernel), TypeError),
        (lambda: cucore.launch(stream, cucore.LaunchConfig(1, 1), code, 1), TypeError),
        (lambda: cucore.Program(None), TypeError), (lambda: cucore.Program("x").__init__("y"), TypeError),
        (lambda: cucore.Program("x").compile(names="k"), TypeError),
        (lambda: cucore.Program("x").compile(cucore.CodeType.BUNDLE), cucore.InvalidArgumentError),
        (lambda: pickle.dumps(stream), TypeError), (lambda: copy.copy(device), TypeError),
        (lambda: cucore.Stream.from_native("stream"), TypeError), (lambda: cucore.Launcher(), TypeError),
        (lambda: cucore.Stream.__new__(cucore.Stream).query(), cucore.InvalidHandleError),
        (lambda: cucore.ExecutableGraph.__new__(cucore.ExecutableGraph)(stream), cucore.InvalidHandleError),
        (lambda: cucore.ExecutableGraph.__new__(cucore.ExecutableGraph)(stream=stream), TypeError),
    ]:
        with pytest.raises(error):
            call()
    assert device != stream and device != 0 and device == cucore.Device(0) and hash(device) == hash(cucore.Device(0))
    assert len({device, cucore.Device(0)}) == 1


def test_names_of_wrong_arguments(device, stream):
    """A refused argument has the user's name for it."""
    for wrong, kind, words in (
            (lambda: cucore.Device("0"), TypeError, "ordinal: an int is needed, not str"),
            (lambda: cucore.Device(ordinal=2**40), OverflowError, "ordinal: 1099511627776 is not between"),
            (lambda: cucore.Buffer(device, -1, stream), OverflowError, "length: -1 is not between 0"),
            (lambda: cucore.Buffer(device, 8.0, stream), TypeError, "length: an int is needed, not float"),
            (lambda: cucore.Event(device, timing="x"), TypeError, "timing: a bool is needed, not str"),
            (lambda: cucore.Program(SOURCE, name=5), TypeError, r"Program\(name=...\): expected str"),
            (lambda: cucore.Program(SOURCE, lineinfo="yes"), TypeError, r"Program\(lineinfo=...\): a bool, None or Toggle"),
            (lambda: cucore.Program(SOURCE, define_macros=5), TypeError, r"Program\(define_macros=...\): 'int' object"),
            (lambda: cucore.set_log_callback(5), TypeError, "callback: a callable is needed, not int")):
        with pytest.raises(kind, match=words):
            wrong()
    with cucore.Buffer(device, np.int64(8), stream) as buffer:
        buffer.write(b"x", stream, offset=np.uint8(7))
        with pytest.raises(TypeError):
            buffer.read(None, stream)


def called(call):
    """The name that a refusal of the arguments begins with."""
    try:
        call()
    except TypeError as error:
        return re.match(r"([\w.<>]+)(?:\(\) (?:takes|got|missing)| expected )|", str(error))[1]
    except (cucore.Error, ValueError):
        pass  # takes as many
    return None


def test_refusals_of_arguments_have_the_names_of_users():
    wrong = []
    for name in sorted(cucore._handles.__all__):
        type = getattr(cucore, name)
        members = [each for each in dir(type) if not each.startswith("_") and callable(getattr(type, each))]
        for names, call in [({name}, type), *(({f"{name}.{each}"}, getattr(type, each)) for each in members)]:
            refused = {called(lambda: call(*[0] * 20)), called(lambda: call(no_such=1))} - {None}
            wrong += sorted(refused - names)
    device = cucore.Device()
    assert not wrong
    assert called(lambda: device.default_stream(*range(9))) == "Device.default_stream"
    assert called(cucore.Program) == "Program" and called(lambda: cucore.Linker("x")) == "Linker"


def test_methods_are_named_as_users_call_them(tmp_path):
    with pytest.raises(TypeError, match=r"^Cache\.trim\(\) missing 1 required positional argument: 'max_bytes'$"):
        cucore.Cache(tmp_path).trim()
    stream = cucore.Stream(cucore.Device())
    for call, words in (
            (lambda: cucore.Buffer(stream.device), r"^Buffer\(\) missing required argument 'length'"),
            (lambda: cucore.Device(number=0), r"^'number' is an invalid keyword argument for Device\(\)"),
            (lambda: cucore.Buffer(stream.device, 8, stream).write(),
             r"^Buffer\.write\(\) missing required argument 'data'")):
        with pytest.raises(TypeError, match=words):
            call()
    with pytest.raises(TypeError, match=r"^Program\.compile\(\) got an unexpected keyword argument 'kind'$"):
        cucore.Program("").compile(kind=1)


def test_missing_files():
    with pytest.raises(FileNotFoundError) as caught:
        cucore.ObjectCode.from_file(cucore.CodeType.PTX, "/no/such/file")
    error = caught.value
    assert isinstance(error, cucore.NotFoundError) and error.status is cucore.Status.NOT_FOUND and "/no/such/file" in str(error)
    for each in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(each) is cucore.FileMissingError and each.args == error.args
        assert (each.errno, each.filename) == (errno.ENOENT, "/no/such/file")


def test_repr(device, code, stream):
    assert repr(device) == f"<cucore.Device 0 '{device.name}'>" and repr(code) == "<cucore.ObjectCode 'kernels.cu'>"
    kernel = code.kernel("scale")
    config = cucore.LaunchConfig((4, 2), 8)
    assert repr(kernel) == "<cucore.Kernel 'scale'>"
    assert repr(kernel[config, stream]) == f"<cucore.Launcher of {kernel!r} with {config!r} in {stream!r}>"
    assert repr(kernel[(4, 2), 8]) == f"<cucore.Launcher of {kernel!r} with {config!r} in a default stream>"


def test_messages_name_what_users_type(code):
    out, _ = run_python("""
import cucore
from conftest import ON_GPU, SOURCE
device = cucore.Device()
stream, old = cucore.Stream(device), cucore.Stream(device)
code = cucore.Program(SOURCE).compile()
plain, timed = cucore.Event(device), cucore.Event(device, timing=True)
plain.record(stream)

def says(words, call):
    try:
        call()
    except cucore.Error as error:
        message = error.message
    assert words in message and "cucore_" not in message and "NULL" not in message, message
    return message

says("Event(timing=...)", lambda: plain.elapsed(plain))
says("Event.record()", lambda: timed.elapsed(timed))
says("LaunchConfig.grid[0] is 0", lambda: code.kernel("scale")[0, 1, stream](1.0, None, 0))
says("name must not be None", lambda: code.kernel(None))
says("ObjectCode.deserialize()", lambda: cucore.ObjectCode.from_bytes(cucore.CodeType.BUNDLE, bytes(64)))
says("Linker.add()", lambda: cucore.Linker().link())
says("Cache(signing_key=...)", lambda: cucore.Cache("", signing_key=cucore.Key(cucore.KeyAlgorithm.ED25519, b"short")))
device.reset()
says("Device.reset()", old.synchronize)
stream = cucore.Stream(device)
data = cucore.Buffer(device, 4, stream)
code.kernel("crash")[1, 1, stream](data)
print(says("Device.reset()", stream.synchronize))
""")
    assert "call Device.reset() to go on" in out


def test_members_are_those_of_the_stubs():
    """SWIG's own members are hidden, and a constructor takes the keywords of its stub."""
    for kind in (cucore.Device, cucore.Stream, cucore.Buffer, cucore.ObjectCode):
        assert not {"acquire", "append", "disown", "next", "own", "this"} & set(dir(kind))
    assert cucore.Device(ordinal=0) == cucore.Device()


def test_hash_stays_after_close(device):
    stream = cucore.Stream(device)
    found = {stream: 1}
    stream.close()
    assert found.pop(stream) == 1 and stream != cucore.Stream(device)


def test_errors_are_of_the_package(device):
    with pytest.raises(cucore.InvalidArgumentError) as caught:
        cucore.Device(1000)
    assert caught.type.__module__ == "cucore" and b"_errors" not in pickle.dumps(caught.value)


def test_subinterpreters_are_refused():
    """The types are common to the process: the state that a second interpreter left in them broke
    the first."""
    if not importlib.util.find_spec("_xxsubinterpreters"):
        pytest.skip("this Python makes no subinterpreters by a module of this name")
    out, _ = run_python("""
import cucore, _xxsubinterpreters as interpreters
other = interpreters.create()
interpreters.run_string(other, '''
try:
    import cucore
    print("imported", flush=True)
except ImportError as error:
    print(error, flush=True)
''')
interpreters.destroy(other)
print(cucore.Program("__global__ void k() {}").compile().type.name)
""")
    assert "interpreter" in out and "imported" not in out and out.endswith("PTX\n")


def test_every_form_of_the_frequent_calls(device, stream):
    """The most common forms have a short path; all forms do the same and refuse the same."""
    class Mine(cucore.Event):
        pass
    made = [cucore.Event(device), cucore.Event(device=device), cucore.Event(device, timing=False), Mine(device)]
    assert [type(event) for event in made] == [cucore.Event] * 3 + [Mine] and not any(event.has_timing for event in made)
    assert cucore.Event(device, timing=True).has_timing
    for event in made:
        for call in (stream.record, lambda each: cucore.Stream.record(stream, each), lambda each: stream.record(event=each)):
            assert call(event) is event
        assert event.record(stream) is None and event.record(None) is None and event.record() is None
        device.synchronize()
        assert event.query()
    assert stream.record().has_timing and not stream.record(timing=False).has_timing and not stream.record(None, timing=False).has_timing
    buffers = [cucore.Buffer(device, 64, stream), cucore.Buffer(device, 64), cucore.Buffer(device, length=64, stream=stream), cucore.Buffer(device, np.int64(64), stream)]
    assert [len(buffer) for buffer in buffers] == [64] * 4 and len(cucore.Buffer(device, 0, stream)) == 0
    for wrong in (lambda: cucore.Event(), lambda: cucore.Event(stream), lambda: cucore.Event(device, 1, 2, 3, 4), lambda: cucore.Event(device, colour=1),
                  lambda: cucore.Buffer(device), lambda: cucore.Buffer(device, 64, 64), lambda: cucore.Buffer(device, "64", stream), lambda: cucore.Buffer(stream, 64, stream),
                  lambda: stream.record(stream), lambda: stream.record(made[0], colour=1), lambda: stream.record(made[0], False), lambda: made[0].record(device)):
        with pytest.raises(TypeError):
            wrong()
    for wrong in (lambda: cucore.Buffer(device, -1, stream), lambda: cucore.Buffer(device, 2**70, stream)):
        with pytest.raises((OverflowError, ValueError)):
            wrong()
    made[0].close()
    other = cucore.Stream(device)
    other.close()
    for closed in (lambda: made[0].record(stream), lambda: stream.record(made[0]), lambda: other.record(made[1]), lambda: made[1].record(other), lambda: cucore.Buffer(device, 64, other)):
        with pytest.raises(cucore.InvalidHandleError):
            closed()
    reference = weakref.ref(made[1])
    assert reference() is made[1] and repr(made[1]).startswith("<cucore.Event at ")
