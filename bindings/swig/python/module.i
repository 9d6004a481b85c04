// SPDX-License-Identifier: Apache-2.0
// The part after the sections, for Python: the hand-written parts.
%{
static PyObject *wrap_stream(cucore_stream *stream) {
  PyObject *self = nullptr;  // SWIG's macro names it
  return SWIG_NewPointerObj(stream, SWIGTYPE_p_Stream, SWIG_POINTER_OWN);
}
static PyObject *wrap_kernel(cucore_kernel *kernel) {
  PyObject *self = nullptr;
  return SWIG_NewPointerObj(kernel, SWIGTYPE_p_Kernel, SWIG_POINTER_OWN);
}
static PyObject *wrap_prepared_launch(cucore_prepared_launch *prepared) {
  PyObject *self = nullptr;
  return SWIG_NewPointerObj(prepared, SWIGTYPE_p_PreparedLaunch, SWIG_POINTER_OWN);
}
%}
%init %{
  static_assert(offsetof(SwigPyObject, ptr) == offsetof(cucore::bind::Handle, pointer));
  static_assert(offsetof(SwigPyObject, own) == offsetof(cucore::bind::Handle, own));
  static_assert(offsetof(SwigPyObject, dict) == offsetof(cucore::bind::Handle, dict));
  static_assert(sizeof(SwigPyObject) == offsetof(cucore::bind::Handle, weak));
  cucore::bind::new_device = _wrap_new_Device;
  cucore::bind::event_type = SWIGTYPE_p_Event;
  cucore::bind::buffer_type = SWIGTYPE_p_Buffer;
  cucore::bind::new_stream = wrap_stream;
  cucore::bind::new_kernel = wrap_kernel;
  cucore::bind::new_prepared_launch = wrap_prepared_launch;
  if (!cucore::bind::add_to(m)) return NULL;
%}
