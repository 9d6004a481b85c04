// A failed call raises the class of its status, as _errors.py has registered it. The interpreter's lock
// is given up here and not by SWIG's -threads, whose destructor ends the process where Python ends a
// thread (see unlocked.hpp). What is %quick keeps the lock.
%{
#include "errors.hpp"
#include "unlocked.hpp"
%}
%exception {
  cucore::bind::Unlocked call;
  try { $action }
  catch (const Failure &failure) { call.lock(); cucore::bind::raise(failure); SWIG_fail; }
  catch (const cucore::bind::Interrupted &) { call.lock(); SWIG_fail; }
  catch (const Raised &raised) { call.lock(); raised.builder->rethrow(); SWIG_fail; }
  catch (const std::bad_alloc &) { call.lock(); PyErr_NoMemory(); SWIG_fail; }
  call.lock();
}
