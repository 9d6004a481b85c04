// SPDX-License-Identifier: Apache-2.0
// Every class of a handle: checked arguments, closing, comparing, printing; what each one adds.
%{
#include "buffers.hpp"
#include "handles.hpp"
#include "hot_calls.hpp"
#include "launcher.hpp"
#include "module.hpp"
#include "objects.hpp"
#include "prepared_launch.hpp"
%}
%feature("compactdefaultargs");
// A closed object is an InvalidHandleError that names the class; another type a TypeError.
%define %python_handle(CLASS)
%typemap(in) CLASS * {
  $1 = static_cast<CLASS *>(cucore::bind::handle_of($input, cucore::bind::Type::CLASS));
  if (!$1) SWIG_fail;
}
%feature("python:tp_dealloc") CLASS "cucore::bind::forget";
%feature("python:tp_repr") CLASS "cucore::bind::repr";
%feature("python:tp_hash") CLASS "cucore::bind::hash";
%feature("python:tp_richcompare") CLASS "cucore::bind::compare";
%enddef
%define %nullable(CLASS, NAME)
%typemap(in) CLASS *NAME {
  $1 = nullptr;
  if ($input != Py_None) {
    $1 = static_cast<CLASS *>(cucore::bind::handle_of($input, cucore::bind::Type::CLASS));
    if (!$1) SWIG_fail;
  }
}
%enddef

// Memory of the object, seen without a copy. The view has its own reference: close() cannot pull it away.
%feature("python:bf_getbuffer", functype="getbufferproc") ObjectCode "cucore::bind::objectcode_get_buffer";
%feature("python:bf_releasebuffer", functype="releasebufferproc") ObjectCode "cucore::bind::objectcode_release_buffer";
%feature("python:bf_getbuffer", functype="getbufferproc") Buffer "cucore::bind::buffer_get_buffer";
%feature("python:bf_releasebuffer", functype="releasebufferproc") Buffer "cucore::bind::buffer_release_buffer";

// kernel[grid, block], executable[node] and len(buffer)
%feature("python:mp_subscript", functype="binaryfunc") ExecutableGraph "cucore::bind::executable_subscript";
%feature("python:mp_subscript", functype="binaryfunc") Kernel "cucore::bind::kernel_subscript";
%feature("python:mp_length", functype="lenfunc") Buffer "cucore::bind::buffer_length";

// An object whose options are keywords: see objects.cpp.
%define %python_keywords(CLASS)
%feature("python:tp_init") CLASS "cucore_init_" #CLASS;
%{
extern "C" {
static int _wrap_new_##CLASS(PyObject *self, PyObject *args, PyObject *kwargs);
static int cucore_init_##CLASS(PyObject *self, PyObject *args, PyObject *kwargs) {
  return cucore::bind::init_by_keywords(#CLASS, _wrap_new_##CLASS, self, args, kwargs);
}
}
%}
%enddef
%feature("python:tp_init") Device "cucore::bind::device_init";
%feature("python:nb_subtract", functype="binaryfunc") Event "cucore::bind::event_subtract";
%{
extern "C" {
static int _wrap_new_Device(PyObject *self, PyObject *args, PyObject *kwargs);
}
%}
