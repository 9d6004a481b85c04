# SPDX-License-Identifier: Apache-2.0
# A plugin of pytest for cuda.core's tests. Some releases of cuda.bindings lack helpers that the tests import;
# CUCORE_SPARE_HELPERS has the folder with the helpers' package, _test_helpers. Releases of cuda.core after 1.1 no
# longer import the names of processes into the package of memory, where the tests look for them.
import importlib
import os

import cuda.bindings
import cuda.core._memory

PACKAGE = "cuda.bindings._test_helpers"
MODULES = ("arch_check", "mempool")


def add_spare(folder):
    try:
        package = importlib.import_module(PACKAGE)
    except ImportError:
        cuda.bindings.__path__.append(folder)
        return
    for name in MODULES:
        try:
            importlib.import_module(f"{PACKAGE}.{name}")
        except ImportError:
            package.__path__.append(os.path.join(folder, "_test_helpers"))
            return


def add_names(package, module, names):
    found = importlib.import_module(module)
    for name in names:
        if not hasattr(package, name) and hasattr(found, name):
            setattr(package, name, getattr(found, name))


add_names(cuda.core._memory, "cuda.core._memory._ipc", ("IPCAllocationHandle", "IPCBufferDescriptor"))
spare = os.environ.get("CUCORE_SPARE_HELPERS")
if spare and os.path.isdir(spare):
    add_spare(spare)
