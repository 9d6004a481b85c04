// How the shared sections look in Python.
%include "python/exceptions.i"
%include "python/types.i"
%include "python/classes.i"
