# SPDX-License-Identifier: Apache-2.0
"""With CuPy and PyTorch, on a GPU: their memory as arguments, this library's memory in theirs, work
in their streams."""
import warnings

import numpy as np
import pytest

import cucore
from conftest import ON_GPU

pytestmark = pytest.mark.skipif(not ON_GPU, reason="CuPy and PyTorch know no CPU device")


def library(name):
    with warnings.catch_warnings():  # those of its import are its own
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


@pytest.fixture()
def cupy():
    return library("cupy")


@pytest.fixture()
def torch():
    made = library("torch")
    if not made.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    return made


@pytest.fixture()
def scale(code):
    return code.kernel("scale")


def test_cupy_arguments(cupy, scale, stream):
    data = cupy.arange(1000, dtype=cupy.float32)
    scale[4, 256, stream](cupy.float32(3), data, np.int32(1000))
    scale[2, 256, stream](2.0, data[500:], 500)
    stream.synchronize()
    expected = np.arange(1000, dtype=np.float32) * 3
    expected[500:] *= 2
    assert (cupy.asnumpy(data) == expected).all()
    with pytest.raises(BufferError, match="scale argument 2 of 3: .*contiguous"):
        scale[1, 256, stream](2.0, data[::2], 100)


def test_cupy_stream(cupy, scale, device, code):
    """A stream of CuPy's in place of a Stream: order is the stream's own, without a wait in
    between."""
    theirs = cupy.cuda.Stream(non_blocking=True)
    if not hasattr(theirs, "__cuda_stream__"):
        pytest.skip("this CuPy has no __cuda_stream__")
    with theirs:
        data = cupy.ones(1 << 20, dtype=cupy.float32)
        scale[4096, 256, theirs](3.0, data, data.size)
        cucore.launch(theirs, cucore.LaunchConfig(4096, 256), scale, 2.0, data, data.size)
        data += 1
    theirs.synchronize()
    assert bool((data == 7).all())
    borrowed = cucore.Stream.from_native(theirs)
    assert borrowed.native == theirs.ptr and borrowed.device == device
    external = cupy.cuda.ExternalStream(borrowed.native)
    with cucore.Stream(device) as own, cucore.Buffer(device, 4, own) as words:
        words.fill(bytes(4), 4, own)
        own.wait_stream(borrowed)
        code.kernel("spin")[1, 1, own](words, 5)
        borrowed.wait_stream(own)
        out = bytearray(4)
        words.read(out, theirs)
        assert out[0] == 5
    external.synchronize()


def test_cupy_takes_ours(cupy, scale, device, stream):
    with cucore.Buffer(device, 4000, stream) as data:
        data.write(np.arange(1000, dtype=np.float32), stream)
        scale[4, 256, stream](2.0, data, 1000)
        for taken in (cupy.from_dlpack(data), cupy.asarray(data)):
            assert taken.data.ptr == data.address and taken.nbytes == 4000
            assert bool((taken.view(cupy.float32) == cupy.arange(1000, dtype=cupy.float32) * 2).all())
        kept = cupy.from_dlpack(data)
        taken.view(cupy.float32)[0] = 5
        cupy.cuda.Device().synchronize()
        first = np.empty(1, np.float32)
        data.read(first, stream)
        assert first[0] == 5
    assert bool((kept.view(cupy.float32)[1:] == cupy.arange(1, 1000, dtype=cupy.float32) * 2).all())  # it keeps the memory
    with cucore.Buffer.from_array(kept) as again:
        assert again.address == kept.data.ptr and again.size == 4000 and again.device == device


def test_torch_arguments(torch, scale, stream):
    data = torch.arange(1000, dtype=torch.float32, device="cuda")
    torch.cuda.synchronize()
    scale[4, 256, stream](3.0, data, 1000)
    scale[4, 256, stream](2.0, data.view(10, 100), 1000)
    stream.synchronize()
    assert torch.equal(data.cpu(), torch.arange(1000, dtype=torch.float32) * 6)
    halves = torch.ones(8, dtype=torch.bfloat16, device="cuda")  # a type that __cuda_array_interface__ has not
    scale[1, 4, stream](0.0, halves, 4)
    stream.synchronize()
    assert not halves.any()
    for wrong, words in ((data[::2], "contiguous"), (data.cpu(), "not in memory"),
                         (torch.ones(4, device="cuda", requires_grad=True), "")):
        with pytest.raises((BufferError, TypeError, RuntimeError), match=f"scale argument 2 of 3: .*{words}"):
            scale[1, 4, stream](1.0, wrong, 4)


def test_torch_stream(torch, scale):
    theirs = torch.cuda.Stream()
    ours = theirs if hasattr(theirs, "__cuda_stream__") else cucore.Stream.from_native(theirs.cuda_stream)
    with torch.cuda.stream(theirs):
        data = torch.ones(1 << 20, device="cuda")
        scale[4096, 256, ours](3.0, data, data.numel())
        data += 1
    theirs.synchronize()
    assert bool((data == 4).all())


def test_torch_takes_ours(torch, scale, device, stream):
    with cucore.Buffer(device, 4000, stream) as data:
        data.write(np.arange(1000, dtype=np.float32), stream)
        scale[4, 256, stream](2.0, data, 1000)
        taken = torch.from_dlpack(data)
        assert taken.device.type == "cuda" and taken.data_ptr() == data.address
        assert torch.equal(taken.view(torch.float32).cpu(), torch.arange(1000, dtype=torch.float32) * 2)
        assert torch.as_tensor(data, device="cuda").data_ptr() == data.address
    assert taken.view(torch.float32)[1].item() == 2  # it keeps the memory
