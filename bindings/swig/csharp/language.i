// How the shared sections look in C#: names, types, exceptions, the body of every class.
%rename("%(camelcase)s", %$isfunction) "";
%rename("%(camelcase)s", %$isvariable) "";
%rename(CudaDevice) Device;
%rename(CudaStream) Stream;
%rename(CudaEvent) Event;
%rename(CudaBuffer) Buffer;
%rename(CudaQueue) Queue;
%rename(CudaFuture) Future;

%include "csharp/exceptions.i"
%include "csharp/types.i"
%include "csharp/classes.i"
