// SPDX-License-Identifier: Apache-2.0
// The bindings of all languages. The classes of the handle types are generated (tools/classes.py),
// over aliases. SWIG's helper of an %extend member is called STRUCT_MEMBER, which over the C names
// would clash with the C functions. The .i files contain the members that the conventions do not
// cover.
#if defined(SWIGPYTHON)
%module cucore
#else
%module CucoreNative
#endif
%nodefaultctor;

%include "common.i"
#if defined(SWIGPYTHON)
%include "python/language.i"
#elif defined(SWIGJAVA)
%include "java/language.i"
#elif defined(SWIGCSHARP)
%include "csharp/language.i"
#endif

//: features
#if defined(SWIGPYTHON)
%include "python/streams.i"
#endif
%include "version.i"
%include "log.i"
%include "library.i"
%include "device.i"
%include "buffer.i"
%include "objectcode.i"
%include "launch.i"
%include "graph.i"
%include "box.i"
%include "cache.i"
%include "batch.i"
%include "compiling.i"
%include "queue.i"
//: classes

#if defined(SWIGPYTHON)
%include "python/module.i"
#elif defined(SWIGJAVA)
%include "java/module.i"
#elif defined(SWIGCSHARP)
%include "csharp/module.i"
#endif
