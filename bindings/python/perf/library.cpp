// SPDX-License-Identifier: Apache-2.0
// The module _library: through its dependencies ctypes finds the functions of libcucore-perf,
// wherever that library is installed.
#include <Python.h>
#include <cucore_perf.h>

namespace {

PyObject* version(PyObject*, PyObject*) { return PyLong_FromUnsignedLong(cucore_perf_version()); }

PyMethodDef functions[] = {{"version", version, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "cucore.perf._library",
                          nullptr,
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__library() { return PyModule_Create(&definition); }
