# SPDX-License-Identifier: Apache-2.0
"""03: events are made from a device, recorded on any stream, any number of times; they order streams and
measure time."""
import sys

import cucore

size, rounds = 16 << 20, 3
if cucore.Device.count() == 0:
    sys.exit(print("events belong to a device: launching needs a device"))

device = cucore.Device()
producer, consumer = cucore.Stream(device), cucore.Stream(device)
start, end = cucore.Event(device, timing=True), cucore.Event(device, timing=True)
first, second = cucore.Buffer(device, size, producer), cucore.Buffer(device, size, producer)

wrong = 0
for round_ in range(1, rounds + 1):
    start.record(producer)
    first.fill(round_.to_bytes(4, "little"), size, producer)
    end.record(producer)
    # The consumer waits on the device for the producer's work so far; the host continues.
    consumer.wait_event(end)
    second.copy_from(first, size, consumer)
    last = bytearray(4)
    second.read(last, consumer, offset=size - len(last))
    end.synchronize()
    word = int.from_bytes(last, "little")
    wrong += word != round_
    print(f"round {round_}: filled {size >> 20} MiB in {start.elapsed(end):.3f} ms, last word {word}")
sys.exit(wrong != 0)
