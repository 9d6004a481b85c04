# SPDX-License-Identifier: Apache-2.0
"""Counts with the handle type of libsecond, next to the objects of libcucore."""
import cucore

assert "Counter" in cucore.__all__
assert "Makes a counter" in cucore.Counter.__doc__, cucore.Counter.__doc__
assert "he current number" in cucore.Counter.value.__doc__, cucore.Counter.value.__doc__

with cucore.Counter(first=1, end=4) as counter:
    assert counter.value == 1
    assert counter.step() == 2 and counter.value == 2

    device = cucore.Device()
    stream = cucore.Stream(device)
    memory = cucore.Buffer(device, 8, stream)
    counter.write(memory, 4, stream)
    read = bytearray(8)
    memory.read(read, stream)
    assert int.from_bytes(read[4:], "little") == 2

    assert counter.step() == 3
    try:
        counter.step()
        raise AssertionError("counted past the end")
    except cucore.Error as error:
        assert type(error).__name__ == "IndexError" and error.origin == "second", (type(error), error.origin)
    try:
        counter.write(memory, 6, stream)
        raise AssertionError("wrote past the end")
    except cucore.InvalidArgumentError:
        pass
    assert "Counter" in repr(counter)

assert counter.closed and "closed" in repr(counter)
try:
    counter.step()
    raise AssertionError("a closed counter counts")
except cucore.InvalidHandleError as error:
    assert "Counter" in str(error)
try:
    cucore.Counter(first=5, end=5)
    raise AssertionError("made an empty counter")
except cucore.ShapeError as error:
    assert "Counter(first=...) is 5" in str(error), error
assert [cucore.Counter(0, 2, True).step() for _ in range(2)] == [1, 1]
