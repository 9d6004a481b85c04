# SPDX-License-Identifier: Apache-2.0
"""The command cucore of a wheel: starts the program next to the libraries."""
from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from ._enums import Library
from ._library import nvidia_files

_FOLDER = Path(__file__).resolve().parent.parent / ".cucore.mesonpy.libs"
_VARIABLES = {Library.NVRTC: "CUCORE_NVRTC", Library.NVJITLINK: "CUCORE_NVJITLINK", Library.NVVM: "CUCORE_NVVM"}


def main() -> NoReturn:
    """Replaces the process by the program, which finds the compilers of NVIDIA's wheels by variables."""
    program = _FOLDER / "bin" / "cucore"
    if not program.is_file():
        sys.exit(f"cucore: {program} is missing; expected the program of a wheel; install the wheel again")
    for library, file in nvidia_files().items():
        if library in _VARIABLES:
            os.environ.setdefault(_VARIABLES[library], file)
    os.execv(program, ["cucore", *sys.argv[1:]])
