# SPDX-License-Identifier: Apache-2.0
# A plugin of pytest for cuda.core's tests: some releases of cuda.bindings lack helpers that the tests import.
# CUCORE_SPARE_HELPERS has the folder with the helpers' package, _test_helpers.
import importlib
import os

import cuda.bindings

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


spare = os.environ.get("CUCORE_SPARE_HELPERS")
if spare and os.path.isdir(spare):
    add_spare(spare)
