// A failed call raises the class of its status, as _errors.py has registered it. In C++ the lock of
// the interpreter comes back by a destructor inside $action: in the handlers it is held.
%{
#include "errors.hpp"
%}
%exception {
  try { $action }
  catch (const Failure &failure) { cucore::bind::raise(failure); SWIG_fail; }
  catch (const std::bad_alloc &) { PyErr_NoMemory(); SWIG_fail; }
}
