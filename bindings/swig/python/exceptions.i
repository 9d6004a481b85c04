// SPDX-License-Identifier: Apache-2.0
// A failed call raises the class of its status, as _errors.py has registered it. The interpreter's lock
// is released here and not by SWIG's -threads, whose destructor ends the process if Python ends a
// thread (see unlocked.hpp). Members with %quick keep the lock.
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
  catch (const std::exception &unexpected) { call.lock(); cucore::bind::raise(unexpected); SWIG_fail; }
  call.lock();
}

// An allocation that finds no memory is tried again after forgotten buffers are collected.
%define %python_allocation(MEMBER)
%exception MEMBER {
  for (int tries = 0;; ++tries) {
    cucore::bind::Unlocked call;
    try { $action call.lock(); break; }
    catch (const Failure &failure) { call.lock(); if (!cucore::bind::reclaim_or_raise(failure, tries)) SWIG_fail; }
    catch (const std::bad_alloc &) { call.lock(); PyErr_NoMemory(); SWIG_fail; }
    catch (const std::exception &unexpected) { call.lock(); cucore::bind::raise(unexpected); SWIG_fail; }
  }
}
%enddef
%python_allocation(Buffer::Buffer)
%python_allocation(Buffer::from_pool)
%python_allocation(Buffer::pinned)
%python_allocation(Buffer::managed)
