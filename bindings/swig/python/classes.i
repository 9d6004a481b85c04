// Every class of a handle: checked arguments, closing, comparing, printing; what each one adds.
%{
#include "buffers.hpp"
#include "handles.hpp"
#include "launcher.hpp"
#include "module.hpp"
#include "objects.hpp"
%}
%feature("compactdefaultargs");
// Python's own layer has these with more comfort, under the names without the underscore.
%rename(_ProgramOptions) ProgramOptions;
%rename(_LinkerOptions) LinkerOptions;
%rename(_LogReceiver) LogReceiver;
%rename(_Keys) Keys;
%rename(_CacheOptions) CacheOptions;
%rename(_CacheEntries) CacheEntries;
%rename(_Batch) Batch;
%rename(_Compiling) Compiling;
%rename(_Images) Images;
%rename(_link) Linker::link;
%rename(_get) Cache::get;
%rename(_put) Cache::put;
%rename(_add_remote) Cache::add_remote;
%rename(_compile) Program::compile;
%rename(_pinned) Buffer::pinned;
%rename(_managed) Buffer::managed;
%rename(_borrow) Buffer::from_native;
%rename(_uuid) Device::uuid;
%rename(_parameter_count) Kernel::parameter_count;
// Packed in C, from Python's values: see launcher.cpp.
%ignore Kernel::launch;
%ignore Kernel::launch_packed;
%ignore Kernel::max_active_clusters;

// A closed object is an InvalidHandleError that names the class; another type a TypeError.
%define %python_handle(CLASS)
%typemap(in) CLASS * {
  $1 = static_cast<CLASS *>(cucore::bind::handle_of($input, cucore::bind::Type::CLASS));
  if (!$1) SWIG_fail;
}
%typemap(doctype) CLASS * #CLASS;
%feature("python:tp_dealloc") CLASS "cucore::bind::forget";
%feature("python:tp_repr") CLASS "cucore::bind::repr";
%feature("python:tp_hash") CLASS "cucore::bind::hash";
%feature("python:tp_richcompare") CLASS "cucore::bind::compare";
%enddef
%python_handle(Device)
%python_handle(Stream)
%python_handle(Event)
%python_handle(Buffer)
%python_handle(Program)
%python_handle(Linker)
%python_handle(ObjectCode)
%python_handle(Kernel)
%python_handle(Queue)
%python_handle(Future)
%python_handle(Cache)
// Where a stream is wanted, any object with __cuda_stream__ will do.
%typemap(in) Stream * (cucore::bind::Object kept) {
  $1 = cucore::bind::stream_of($input, kept);
  if (!$1) SWIG_fail;
}
%typemap(in) Stream *self {
  $1 = static_cast<Stream *>(cucore::bind::handle_of($input, cucore::bind::Type::Stream));
  if (!$1) SWIG_fail;
}
%define %python_or_none(CLASS, NAME)
%typemap(in) CLASS *NAME {
  $1 = nullptr;
  if ($input != Py_None) {
    $1 = static_cast<CLASS *>(cucore::bind::handle_of($input, cucore::bind::Type::CLASS));
    if (!$1) SWIG_fail;
  }
}
%enddef
%python_or_none(Device, device_or_null)
%python_or_none(Cache, cache_or_null)

// Memory of the object, seen without a copy. The view has its own reference: close() cannot pull it away.
%feature("python:bf_getbuffer", functype="getbufferproc") ObjectCode "cucore::bind::objectcode_get_buffer";
%feature("python:bf_releasebuffer", functype="releasebufferproc") ObjectCode "cucore::bind::objectcode_release_buffer";
%feature("python:bf_getbuffer", functype="getbufferproc") Buffer "cucore::bind::buffer_get_buffer";
%feature("python:bf_releasebuffer", functype="releasebufferproc") Buffer "cucore::bind::buffer_release_buffer";

// kernel[grid, block] and len(buffer)
%feature("python:mp_subscript", functype="binaryfunc") Kernel "cucore::bind::kernel_subscript";
%feature("python:mp_length", functype="lenfunc") Buffer "cucore::bind::buffer_length";

// Program(source, ..., keywords): see objects.cpp
%feature("python:tp_init") Program "cucore::bind::program_init";
%feature("python:tp_init") Event "cucore::bind::event_init";
%feature("python:tp_init") Linker "cucore::bind::linker_init";
%feature("python:tp_init") Cache "cucore::bind::cache_init";
%{
extern "C" {
static int _wrap_new_Event(PyObject *self, PyObject *args, PyObject *kwargs);
static int _wrap_new_Program(PyObject *self, PyObject *args, PyObject *kwargs);
static int _wrap_new_Linker(PyObject *self, PyObject *args, PyObject *kwargs);
static int _wrap_new_Cache(PyObject *self, PyObject *args, PyObject *kwargs);
}
%}
