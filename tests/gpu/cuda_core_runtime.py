# SPDX-License-Identifier: Apache-2.0
"""As sitecustomize.py, this answers the calls of the CUDA runtime that cuda.core and its tests make.

cuda.bindings contains a static CUDA runtime, which requires NVIDIA's driver. cuda.core needs the driver only, except
for these five functions. CUCORE_RUNTIME_BY_DRIVER=1 lets the driver answer them, in each process.
"""
import importlib.util
import os
import sys

MODULE = "cuda.bindings.runtime"


def answer(runtime):
    """Puts functions of the driver in place of those of the runtime. The numbers of errors and attributes are equal."""
    from cuda.bindings import driver

    def converted(result):
        return (runtime.cudaError_t(int(result[0])), *result[1:])

    def get_device():
        error, device = driver.cuCtxGetDevice()
        if error == driver.CUresult.CUDA_ERROR_INVALID_CONTEXT:
            return runtime.cudaError_t.cudaSuccess, 0
        return converted((error, int(device)))

    def get_attribute(attribute, device):
        return converted(driver.cuDeviceGetAttribute(driver.CUdevice_attribute(int(attribute)), device))

    def get_count():
        error = driver.cuInit(0)[0]
        return converted(driver.cuDeviceGetCount() if int(error) == 0 else (error, 0))

    runtime.cudaDeviceSynchronize = lambda: converted(driver.cuCtxSynchronize())
    runtime.cudaGetDevice = get_device
    runtime.cudaGetDeviceCount = get_count
    runtime.cudaDeviceGetAttribute = get_attribute
    runtime.cudaDeviceGetPCIBusId = lambda size, device: converted(driver.cuDeviceGetPCIBusId(size, device))


class Finder:
    """Finds the module once, and answers its calls after it has been loaded."""

    def find_spec(self, name, path=None, target=None):
        if name != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            load = spec.loader.exec_module

            def load_and_answer(module):
                load(module)
                answer(module)

            spec.loader.exec_module = load_and_answer
        return spec


if os.environ.get("CUCORE_RUNTIME_BY_DRIVER") == "1":
    sys.meta_path.insert(0, Finder())
