/// @file cucore/base.hpp
/// The choice between exceptions and results.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_BASE_HPP_INCLUDED
#define CUCORE_BASE_HPP_INCLUDED

#include <cucore.h>

/// 1 if calls throw, 0 if they return `Result<T>`.
#if defined(CUCORE_HPP_NO_EXCEPTIONS) || !defined(__cpp_exceptions)
#define CUCORE_HPP_EXCEPTIONS 0
#define CUCORE_HPP_MODE with_results
#else
#define CUCORE_HPP_EXCEPTIONS 1
#define CUCORE_HPP_MODE with_exceptions
#endif

// Code that runs only if a call fails stays out of the code of the caller.
#if defined(__GNUC__)
#define CUCORE_HPP_COLD __attribute__((noinline, cold))
#define CUCORE_HPP_FAILED(status) __builtin_expect((status) != CUCORE_OK, 0)
#else
#define CUCORE_HPP_COLD
#define CUCORE_HPP_FAILED(status) ((status) != CUCORE_OK)
#endif

#endif  // CUCORE_BASE_HPP_INCLUDED
