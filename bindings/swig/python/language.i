// SPDX-License-Identifier: Apache-2.0
// How the shared sections look in Python.
%{
#include "call_names.hpp"
#undef PyArg_ParseTupleAndKeywords
#define PyArg_ParseTupleAndKeywords(arguments, keywords, format, ...) \
  cucore::bind::parse_call<format>(arguments, keywords, __VA_ARGS__)
%}
%include "python/exceptions.i"
%include "python/types.i"
%include "python/classes.i"
