# SPDX-License-Identifier: Apache-2.0
"""Repeats one launch in Python: launches.py NAME COUNT. count.py counts the instructions of the extension. If
COSTS_PLANTED is set, a launch has further arguments, as an extension that became slower would."""
import os
import sys

import cucore

PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .f32 a, .param .u64 x, .param .u32 n) { ret; }
.visible .entry two(.param .u64 a, .param .u64 b) { ret; }
.visible .entry planted(.param .f32 a, .param .u64 x, .param .u32 n, .param .u64 more, .param .u64 most) { ret; }
"""


def main(name, count):
    device = cucore.Device()
    stream = cucore.Stream(device)
    buffer = cucore.Buffer(device, 64, stream)
    code = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, PTX)
    config = cucore.LaunchConfig(1, 1)
    kernel, arguments = {"python_launch": ("k", (1.0, buffer, 1)),
                         "python_launch_of_buffers": ("two", (buffer, buffer))}[name]
    if "COSTS_PLANTED" in os.environ:
        kernel, arguments = "planted", (1.0, buffer, 1, buffer, buffer)
    found = code.kernel(kernel)
    for _ in range(count):
        cucore.launch(stream, config, found, *arguments)


main(sys.argv[1], int(sys.argv[2]))
