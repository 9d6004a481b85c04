"""The wrapper, its types and its exceptions work."""
import cucore
from cucore import _cucore as c

try:
    c.Device(1000)
except cucore._errors.InvalidArgumentError as error:
    assert "1000" in error.message
else:
    raise AssertionError("no error")
device = c.Device(0)
stream = c.Stream(device, nonblocking=False)
buffer = c.Buffer(device, 16, stream)
buffer.write(b"0123456789abcdef", stream)
out = bytearray(16)
buffer.read(out, stream)
assert out == b"0123456789abcdef" and device.is_emulated and buffer.size == 16
assert device.compute_capability()[0] >= 7
print("ok")
