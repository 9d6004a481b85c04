// How the shared sections look in Java: names, types, exceptions, the body of every class.
%rename("%(lowercamelcase)s", %$isfunction) "";
%rename("%(lowercamelcase)s", %$isvariable) "";
%rename(nativeHandle) native;  // a keyword of Java
%rename(CudaDevice) Device;
%rename(CudaStream) Stream;
%rename(CudaEvent) Event;
%rename(CudaBuffer) Buffer;
%rename(CudaQueue) Queue;
%rename(CudaFuture) Future;
%rename(waitFor) wait;  // Object has a wait

%include "java/exceptions.i"
%include "java/types.i"
%include "java/classes.i"
