// How the shared sections look in Java: names, types, exceptions, the body of every class.
%rename("%(lowercamelcase)s", %$isfunction) "";
%rename("%(lowercamelcase)s", %$isvariable) "";
%rename(CudaDevice) Device;
%rename(CudaStream) Stream;
%rename(CudaEvent) Event;
%rename(CudaBuffer) Buffer;
%rename(CudaQueue) Queue;
%rename(CudaFuture) Future;
%rename(waitFor) wait;  // Object has a wait
%rename(NativeProgramOptions) ProgramOptions;
%rename(NativeLinkerOptions) LinkerOptions;
%rename(NativeCacheOptions) CacheOptions;
%rename(NativeCacheEntries) CacheEntries;
%rename(NativeBatch) Batch;
%rename("$ignore", %$isdestructor) "";  // Natives.close() does it for all
%{
#include "callable.hpp"
#include "elements.hpp"
#include "lease.hpp"
#include "raise.hpp"
#include "text.hpp"
%}

%include "java/exceptions.i"
%include "java/types.i"
%include "java/classes.i"
%include "java/members.i"
