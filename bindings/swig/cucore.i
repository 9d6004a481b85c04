// The bindings of all languages: one file a section of cucore.h, in the header's order. Classes are
// made over aliases (struct Stream for cucore_stream): SWIG's helper of an %extend member is called
// STRUCT_MEMBER, which over the C names would clash with the C functions.
#if defined(SWIGPYTHON)
%module cucore
#else
%module CucoreNative
#endif
%nodefaultctor;
%nocopyctor;

%include "common.i"
#if defined(SWIGPYTHON)
%include "python/language.i"
#elif defined(SWIGJAVA)
%include "java/language.i"
#elif defined(SWIGCSHARP)
%include "csharp/language.i"
#endif

%include "version.i"
%include "error.i"
%include "log.i"
%include "library.i"
%include "device.i"
%include "stream.i"
%include "event.i"
%include "buffer.i"
%include "program.i"
%include "linker.i"
%include "objectcode.i"
%include "kernel.i"
%include "launch.i"
%include "cache.i"
%include "batch.i"
%include "compiling.i"
%include "queue.i"

#if defined(SWIGPYTHON)
%include "python/module.i"
#elif defined(SWIGJAVA)
%include "java/module.i"
#elif defined(SWIGCSHARP)
%include "csharp/module.i"
#endif
