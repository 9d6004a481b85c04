# SPDX-License-Identifier: Apache-2.0
"""The import and a first call, and with a file of PTX the first launch of its kernel "nothing"."""
import sys

import cucore

cucore.version_number()
if len(sys.argv) > 1:
    device = cucore.Device()
    stream = cucore.Stream(device)
    with open(sys.argv[1], 'rb') as file:
        code = cucore.ObjectCode.from_bytes(cucore.CodeType.PTX, file.read())
    code.kernel('nothing')[1, 1, stream]()
    stream.synchronize()
