// SPDX-License-Identifier: Apache-2.0
// How the shared sections look in Python.
%{
#include "call_names.hpp"
#include "objects.hpp"
// SWIG allocates the objects of results without zeros.
#undef SWIG_NewPointerObj
#define SWIG_NewPointerObj(pointer, type, flags) \
  cucore::bind::complete(SWIG_Python_NewPointerObj(self, pointer, type, flags), (flags) & SWIG_BUILTIN_TP_INIT)
#undef PyArg_ParseTupleAndKeywords
#define PyArg_ParseTupleAndKeywords(arguments, keywords, format, ...) \
  cucore::bind::parse_call<format>(arguments, keywords, __VA_ARGS__)
#define SWIG_Python_UnpackTuple(arguments, name, ...) \
  SWIG_Python_UnpackTuple(arguments, cucore::bind::call_name<":" name>(), __VA_ARGS__)
%}
%include "python/exceptions.i"
%include "python/types.i"
%include "python/classes.i"
