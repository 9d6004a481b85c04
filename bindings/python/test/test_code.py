# SPDX-License-Identifier: Apache-2.0
"""Scenarios about compiling, storing and the libraries. See tests/bindings/scenarios.md."""
import base64
import copy
import ctypes
import multiprocessing
import pickle

import numpy as np
import pytest

import cucore
from conftest import SOURCE, run_python


def test_compile_and_launch(device, stream, code):
    data = np.arange(1000, dtype=np.float32)
    with cucore.Buffer(device, data.nbytes, stream) as buffer:
        buffer.write(data, stream)
        code.kernel("scale")[4, 256, stream](3.0, buffer, 1000)
        out = np.empty_like(data)
        buffer.read(out, stream)
        assert (out == data * 3).all()
        cucore.launch(stream, cucore.LaunchConfig(grid=4, block=256), code.kernel("scale"), 2.0, buffer, 1000)
        buffer.read(out, stream)
        assert (out == data * 6).all()
        code.kernel("fill<float>")[1, 8, stream](buffer, 1.5)
        buffer.read(out, stream)
        assert (out[:8] == 1.5).all() and out[8] == 48
    linker = cucore.Linker(arch="sm_90")
    linker.add(cucore.Program(SOURCE, arch="sm_90", relocatable_device_code=True).compile(cucore.CodeType.CUBIN))
    linked = linker.link()
    assert linked.type is cucore.CodeType.CUBIN
    scale = next(s for s in linked.symbols if s.lowered_name == "scale")
    assert scale.resources.registers > 0 and scale.parameters == ((0, 4), (8, 8), (16, 4))
    bundle = cucore.ObjectCode.bundle([code, linked])
    assert bundle.type is cucore.CodeType.BUNDLE and [i.type for i in bundle.images] == [linked.type, code.type] \
        or [i.type for i in bundle.images] == [code.type, linked.type]
    with pytest.raises(cucore.InvalidArgumentError, match=r"images\[2\] is the same PTX .* as images\[0\]"):
        cucore.ObjectCode.bundle([code, linked, code])


def test_lone_surrogates():
    for text, position in (("\ud83d", 0), ("a\ud83d", 1), ("// \ud83d\ude00", "3-4")):
        words = f"in position {position}: surrogates not allowed"
        for call in (lambda: cucore.Program(text), lambda: cucore.Program("", name=text),
                     lambda: cucore.Program("", headers={"a.h": text}), lambda: cucore.Program("").compile(names=[text])):
            with pytest.raises(UnicodeEncodeError, match=words):
                call()
    cucore.Program("// \U0001F600\n").compile()


def test_options():
    source = '#include "size.h"\nextern "C" __global__ void k(float *x) { x[N] = SIZE; }'
    code = cucore.Program(source, name="o.cu", arch="compute_80", lineinfo=True, use_fast_math=None, max_register_count=32,
                          define_macros={"N": 4, "FLAG": None}, headers={"size.h": "#define SIZE 64\n"},
                          diag_suppressions=[177], flags=["--device-as-default-execution-space"]).compile()
    assert code.name == "o.cu" and code.arch == "compute_80" and b".loc" in code.data and b"+16]" in code.data
    assert b".loc" not in cucore.Program(source, lineinfo=False, define_macros="N=4",
                                         headers={"size.h": "#define SIZE 1"}).compile().data
    for keywords, error in [
        ({"colour": 1}, TypeError), ({"name": 1}, TypeError), ({"lineinfo": "yes"}, TypeError),
        ({"max_register_count": "many"}, TypeError), ({"max_register_count": 1 << 40}, cucore.InvalidArgumentError),
        ({"max_register_count": True}, TypeError), ({"define_macros": [1]}, TypeError), ({"flags": 7}, TypeError),
        ({"diag_errors": ["one"]}, TypeError), ({"lineinfo": 7}, cucore.InvalidArgumentError),
        ({"header_names": ["a.h"]}, cucore.InvalidArgumentError), ({"arch": "sm_nothing"}, cucore.Error),
    ]:
        with pytest.raises(error):
            cucore.Program("", **keywords).compile()
    with pytest.raises(TypeError, match=r"Program\(\) got an unexpected keyword"):
        cucore.Program("", colour=1)
    with pytest.raises(TypeError, match=r"Linker\(\) got an unexpected keyword"):
        cucore.Linker(colour=1)


def _kernels(code):  # in another process
    return sorted(symbol.lowered_name for symbol in code.symbols), code.serialize()


def test_headers_of_the_toolkit(tmp_path):
    info = cucore.library_query(cucore.Library.NVRTC)
    source = '#include <cuda_fp16.h>\nextern "C" __global__ void k(__half* x) { *x = __float2half(1.f); }'
    if info.header_folders:
        assert cucore.Program(source, arch="sm_90").compile(cucore.CodeType.PTX).kernel("k")
    with pytest.raises(cucore.CompilationError, match="toolkit_headers"):
        cucore.Program(source, arch="sm_90", toolkit_headers=False).compile(cucore.CodeType.PTX)
    with pytest.raises(cucore.CompilationError, match=r"include_paths=...\) to the folder of mine.h"):
        cucore.Program('#include "mine.h"', arch="sm_90").compile(cucore.CodeType.PTX)


def test_programs_from_files_and_targets_by_name(tmp_path):
    path = tmp_path / "from_file.cu"
    path.write_text('extern "C" __global__ void k() {}')
    code = cucore.Program(path, arch="sm_90").compile("cubin")
    assert code.type is cucore.CodeType.CUBIN and code.name == str(path)
    assert cucore.Program(path, name="other.cu").compile("PTX").name == "other.cu"
    with pytest.raises(ValueError, match="target is 'ptxx'; expected a CodeType or its name: ptx, cubin"):
        cucore.Program(path).compile("ptxx")
    with pytest.raises(FileNotFoundError):
        cucore.Program(tmp_path / "none.cu")


def test_the_import_is_without_asyncio():
    out, _ = run_python("import sys, cucore; print('asyncio' in sys.modules)")
    assert out == "False\n"


def test_serialize(code):
    stored = code.serialize()
    restored = cucore.ObjectCode.deserialize(stored)
    assert restored.serialize() == stored and restored.symbols == code.symbols and restored.data == code.data
    assert cucore.ObjectCode.deserialize(memoryview(stored)).name == code.name
    packed = code.serialize(compression=True)
    assert len(packed) < len(stored) and cucore.ObjectCode.deserialize(packed).data == code.data
    for position in range(64):
        damaged = bytearray(stored)
        damaged[position] ^= 1
        with pytest.raises(cucore.InvalidCodeError):
            cucore.ObjectCode.deserialize(damaged)
    for length in (0, 1, 63, len(stored) - 1):
        with pytest.raises(cucore.InvalidCodeError):
            cucore.ObjectCode.deserialize(stored[:length])
    with pytest.raises(cucore.InvalidCodeError):
        cucore.ObjectCode.deserialize(packed, max_code_size=16)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(code, protocol)).serialize() == stored
    assert copy.copy(code) is code and copy.deepcopy([code])[0] is code
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        names, bytes_there = pool.apply(_kernels, (code,))
    assert bytes_there == stored and "scale" in names
    secret = cucore.Key(cucore.KeyAlgorithm.HMAC_SHA256, b"secret")
    signed = code.serialize(key=secret)
    required = dict(signature=cucore.SignaturePolicy.REQUIRED)
    good = cucore.ObjectCode.deserialize(signed, verify=[secret], **required)
    assert good.signature is cucore.SignatureState.VALID and good.signature_key and "secret" not in repr(secret)
    with pytest.raises(cucore.SignatureError):
        cucore.ObjectCode.deserialize(signed, verify=[cucore.Key(cucore.KeyAlgorithm.HMAC_SHA256, b"other")], **required)


# pickle.dumps(code, 2) of version 0.1. Stored pickles must load forever, so it must never be made
# again.
STORED = (
    "gAJjY3Vjb3JlLl9jb2RlCl9yZXN0b3JlCnEAY19jb2RlY3MKZW5jb2RlCnEBWB8DAADCiUNVQ08NChoBAAAAQAAAAMOXAgAAAAAAAAQAAABgAA"
    "AAAAAAAAAAAABKwrgdw49SVcK6GMKXwoV7OnPDicKWw6QAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAADDgAEAAAAAAAAQAAAAAAAAABAAAAAAAAAA"
    "AAAAAEAAAABqB8K6w5LCtsKEUcOEw7lmXxkyG8OdQcK0SsO4w5Z8IQHDhMOrAsOxw5YjKzBFAAAAAAAAAAAAAAAAAAAAAAIAAAAAAAAAAAAAAA"
    "AAAAAAAgAAAAAAACAAAAAAAAAAIAAAAAAAAAAAAAAAQAAAAMOSUMOQXSfCp8KFDxtaw67Dv8KNHGZbwpXDi8ORw44ieHoiwqnCjUMlR8Kfw5vC"
    "vAAAAAAAAAAAAAAAAAAAAAADAAAAAAAAAAAAAAAAAAAAQAIAAAAAAAAQAAAAAAAAABAAAAAAAAAAAAAAAEAAAADCsF0/fSzDshHCj8KRw4/CkX"
    "LCr2rCrMKjwpnDpsK0fcKaw7PCjnlmI0giEsO2wqZtAAAAAAAAAAAAAAAAAAAAABAAAABLAAEARgAAAAAAAADCgAIAAAAAAABXAAAAAAAAAFcA"
    "AAAAAAAABQAAAEAAAAA5EnvDuiQDKBQNwr8BAEYXwp5QCwwawrfDt8KAwqvDoMKKRcKVwpowTsKYwqYAAAAAAAAAAAAAAAAAAAAAAEsAawBzdG"
    "9yZWQucHR4AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAADAAAAAwAAAAEAAAAAAAAAAAAAAAAA"
    "AAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAALnZlcnNpb24gNy4wCi50YXJnZXQgc21fNzUKLmFkZHJlc3Nfc2l6ZSA2NAoudmlzaWJsZSAuZW50cnkgaygu"
    "cGFyYW0gLnU2NCBwKSB7IHJldDsgfQoAcQJYBgAAAGxhdGluMXEDhnEEUnEFhXEGUnEHLg=="
)


def test_stored_pickles():
    stored = base64.b64decode(STORED)
    assert b"cucore._code\n_restore" in stored
    code = pickle.loads(stored)
    assert code.name == "stored.ptx" and code.kernel("K").name == "k" and code.type is cucore.CodeType.PTX
    assert b"cucore._code\n_restore" in pickle.dumps(code, 2)  # for readers of this version


def test_bytes_from_elsewhere(code, tmp_path):
    ptx = tmp_path / "kernels.ptx"
    ptx.write_bytes(code.data)
    lowered = next(s.lowered_name for s in code.symbols if s.expression == "fill<int>")
    for made in (cucore.ObjectCode.from_file(cucore.CodeType.PTX, ptx, names={"mine": lowered}),
                 cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, code.data.decode(), name="kernels.ptx",
                                              names={"mine": lowered})):
        assert made.name == "kernels.ptx" and made.data == code.data and made.kernel("mine").name == lowered


def test_library_symbols():
    version = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    major, minor = ctypes.c_int(), ctypes.c_int()
    address = cucore.library_symbol(cucore.Library.NVRTC, "nvrtcVersion")
    assert version(address)(major, minor) == 0
    assert (major.value, minor.value) == cucore.library_query(cucore.Library.NVRTC).version
    assert cucore.library_symbol(cucore.Library.DRIVER, "cuDriverGetVersion") > 0
    with pytest.raises(cucore.NotFoundError, match="'nvrtcNoSuch' in NVRTC"):
        cucore.library_symbol(cucore.Library.NVRTC, "nvrtcNoSuch")
    out, _ = run_python("import cucore\n"
                        "for library in list(cucore.Library)[4:]:\n"
                        "    try: cucore.library_symbol(library, 'anything')\n"
                        "    except cucore.LibraryMissingError as e: print(library.name in e.message.upper(), "
                        "'/nowhere' in e.message)",
                        **{f"CUCORE_{library.name}": "/nowhere" for library in list(cucore.Library)[4:]})
    assert out == "True True\n" * 9


def test_libraries(tmp_path):
    nvrtc, driver = cucore.library_query(cucore.Library.NVRTC), cucore.library_query(cucore.Library.DRIVER)
    cucore.Program("").compile()
    assert nvrtc.available and nvrtc.path and nvrtc.version >= (12, 0) and nvrtc.reason == ""
    assert driver.available and driver.version >= (12, 0)
    with pytest.raises(cucore.InvalidStateError):
        cucore.library_set_path(cucore.Library.NVRTC, tmp_path)
    cucore.Device(0)
    emulated = cucore.Device(0).is_emulated
    cucore.driver_select("cpu" if emulated else "nvidia")
    cucore.driver_select(driver.path)
    with pytest.raises(cucore.InvalidStateError):
        cucore.driver_select("nvidia" if emulated else "cpu")
    major, minor, patch = map(int, cucore.version_string().split("."))
    assert cucore.version_number() == major * 10000 + minor * 100 + patch and cucore.__version__ == cucore.version_string()
    assert cucore.status_name(101) == "CUCORE_ERROR_INVALID_ARGUMENT"
    out, _ = run_python("import cucore; cucore.driver_select('cpu'); print(cucore.Device(0).is_emulated, "
                        "cucore.library_query(cucore.Library.NVRTC).reason.count('/nowhere') > 0)",
                        CUCORE_DRIVER="nvidia", CUCORE_NVRTC="/nowhere")
    assert out == "True True\n"
