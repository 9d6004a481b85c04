// SPDX-License-Identifier: Apache-2.0
// Types that cross in Python.
%{
#include "convert.hpp"
#include "graphs.hpp"
#include "launcher.hpp"
#include "kernel_parameters.hpp"
#include "launch_more.hpp"
using LaunchConfig = cucore_launch_options;
using AccessWindow = cucore_access_window;
%}
%define %python_enum(TYPE, NAME)
%typemap(in) TYPE { if (!cucore::bind::to_enum($input, #NAME, $1)) SWIG_fail; }
%typemap(out) TYPE { $result = cucore::bind::from_enum(cucore::bind::EnumClass::NAME, $1); }
%enddef
// None, True, False and Toggle
%typemap(in) cucore_toggle { if (!cucore::bind::to_toggle($input, $1)) SWIG_fail; }

// The view is held across the call, for the interpreter's lock is not.
%typemap(in) (const void *key, size_t key_size) (cucore::bind::View view) {
  if (PyUnicode_Check($input)) {
    PyErr_SetString(PyExc_TypeError, "a key is bytes, not str");
    SWIG_fail;
  }
  if (!view.open($input, PyBUF_SIMPLE)) SWIG_fail;
  $1 = const_cast<void *>(view.data());
  $2 = view.size();
}
%typemap(in) (const void *data, size_t size) (cucore::bind::View view) {
  if (!view.open($input, PyBUF_SIMPLE)) SWIG_fail;
  $1 = const_cast<void *>(view.data());
  $2 = view.size();
}
%typemap(in) (void *data, size_t size) (cucore::bind::View view) {
  if (!view.open($input, PyBUF_WRITABLE)) SWIG_fail;
  $1 = view.size() == 0 ? nullptr : view.data();  // asks for the size, where that is a question
  $2 = view.size();
}

%apply (const void *data, size_t size) { (const void *pattern, size_t pattern_size) };
%typemap(in) (const cucore_node *after, size_t after_count) (cucore::bind::NodeList nodes) {
  if (!nodes.open($input)) SWIG_fail;
  $1 = const_cast<cucore_node *>(nodes.data());
  $2 = nodes.size();
}
struct Nodes;
%typemap(out) Nodes { $result = cucore::bind::tuple_of(static_cast<const Nodes &>($1)); }
struct NodeInfo;
%typemap(out) NodeInfo { $result = cucore::bind::tuple_of(static_cast<const cucore_node_info &>($1)); }

struct Bytes;
%typemap(out) Bytes { $result = PyBytes_FromStringAndSize(static_cast<const char *>($1.data), static_cast<Py_ssize_t>($1.size)); }
// The second of a pair.
%typemap(in, numinputs=0) cucore_cache_outcome *outcome (cucore_cache_outcome found) {
  found = CUCORE_CACHE_OUTCOME_NONE;
  $1 = &found;
}
%typemap(argout) cucore_cache_outcome *outcome {
  $result = Py_BuildValue("NN", $result, cucore::bind::from_enum(cucore::bind::EnumClass::CacheOutcome, *$1));
}
%{
#include "callable.hpp"
%}
%typemap(in) Builder & (cucore::bind::Callable callable) {
  if (!callable.open($input)) SWIG_fail;
  $1 = &callable;
}

struct ParameterInfos;
%typemap(out) ParameterInfos { $result = cucore::bind::tuple_of($1); }
%typemap(in) const LaunchConfig & {
  $1 = const_cast<LaunchConfig *>(cucore::bind::options_of($input));
  if (!$1) SWIG_fail;
}

// None is NULL.
%typemap(in) const AccessWindow *window_or_null (cucore_access_window window) {
  if ($input != Py_None && !cucore::bind::read_window($input, window)) SWIG_fail;
  $1 = $input == Py_None ? nullptr : &window;
}

struct Pair;
%typemap(out) Pair { $result = Py_BuildValue("LL", static_cast<long long>($1.first), static_cast<long long>($1.second)); }

%typemap(in) const char *path (cucore::bind::Path text), const char *name_or_path (cucore::bind::Path text) {
  if (!text.open($input)) SWIG_fail;
  $1 = const_cast<char *>(text.get());
}
%typemap(in) const char * (cucore::bind::Text text) {
  if (!text.open($input)) SWIG_fail;
  $1 = const_cast<char *>(text.get());
}
%typemap(freearg) const char * "";
%typemap(out) const char * { $result = PyUnicode_DecodeUTF8($1, static_cast<Py_ssize_t>(std::strlen($1)), "surrogateescape"); }
%define %python_integer(TYPE)
%typemap(in) TYPE { if (!cucore::bind::to_integer($input, "$1_name", $1)) SWIG_fail; }
%enddef
%python_integer(size_t)
%python_integer(uint64_t)
%python_integer(uint32_t)
// A typedef would make it unsigned long long, which C++ does not convert in lists.
%apply unsigned long long { cucore_node };
%python_integer(cucore_node)
%python_integer(int64_t)
%python_integer(int32_t)
%typemap(in) bool {
  if (!PyBool_Check($input)) {
    PyErr_Format(PyExc_TypeError, "$1_name: a bool is needed, not %s", Py_TYPE($input)->tp_name);
    SWIG_fail;
  }
  $1 = $input == Py_True;
}

%define %python_texts(NAMES, COUNT)
%typemap(in) (const char *const *NAMES, size_t COUNT) (cucore::bind::Texts texts) {
  if (!texts.open($input)) SWIG_fail;
  $1 = const_cast<char **>(texts.data());
  $2 = texts.size();
}
%enddef
%python_texts(names, name_count)
%python_texts(lowered_names, lowered_name_count)
