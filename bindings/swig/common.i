// SPDX-License-Identifier: Apache-2.0
// The common part of every section: the helpers of the bodies, and the types that each language
// maps.
%{
#include <cucore.h>

#include <cstring>
#include <new>

#include "attributes.hpp"
#include "batch.hpp"
#include "boxes.hpp"
#include "compiling.hpp"
#include "caching.hpp"
#include "failure.hpp"
#include "held.hpp"
#include "held_tokens.hpp"
#include "kernel_nodes.hpp"
#include "launch.hpp"
#include "lists.hpp"
#include "log_receiver.hpp"
#include "nodes.hpp"
#include "order.hpp"
#include "options.hpp"
#include "parameters.hpp"
#include "handle_types.hpp"   // generated
#include "option_fields.hpp"  // generated

using cucore::bind::Bytes;
using cucore::bind::Failure;
using cucore::bind::held;
using cucore::bind::info_of;
using cucore::bind::made;
using cucore::bind::ok;
using cucore::bind::Nodes;
using cucore::bind::nodes_of;
using cucore::bind::Order;
using cucore::bind::Pair;
using cucore::bind::pair_of;
using cucore::bind::ParameterInfos;
using cucore::bind::Raised;
#define CUCORE_ALIAS(Class, type, name) typedef type Class;
CUCORE_HANDLES(CUCORE_ALIAS)
#undef CUCORE_ALIAS
typedef Stream OptionalStream;
typedef cucore::bind::LogReceiver LogReceiver;
typedef cucore::bind::Builder Builder;
typedef cucore::bind::CacheEntries CacheEntries;
typedef cucore::bind::Batch Batch;
typedef cucore::bind::Compiling Compiling;
typedef cucore::bind::Keys Keys;
typedef cucore::bind::Images Images;
%}
// A wait for a device: languages that handle signals have a separate form.
#if defined(SWIGPYTHON)
%{
#include "interrupt.hpp"
using cucore::bind::wait_for;
%}
#else
%{
template <class Handle, class Function, class... Query>
static void wait_for(Handle *handle, Function *function, Query *...) { ok(function, held(handle)); }
%}
#endif

// Integers by their C names, so that each language's typemaps see one spelling.
typedef int int32_t;
typedef unsigned int uint32_t;
#if defined(SWIGWORDSIZE64)
typedef long int64_t;
typedef unsigned long uint64_t;
#else
typedef long long int64_t;
typedef unsigned long long uint64_t;
#endif

// Typemaps that each language's language.i gives:
//   (const void *data, size_t size)  bytes that the call only reads
//   (void *data, size_t size)        memory that the call fills
//   Bytes                            borrowed bytes, copied out
//   Pair                             two integers
//   (const cucore_node *after, size_t after_count)  nodes that the call reads; Nodes are those of a result
//   ParameterInfos                   offset, size and class of each parameter
//   (const void *key, size_t key_size)  as the first
//   cucore_cache_outcome *outcome    a second result
//   Builder &                        a function of the language that makes object code
//   OptionalStream *                 null where the language permits it: the default stream
//   const char *                     UTF-8
//   every enum of cucore.h           crosses as an int; the enums are generated, see enums.i
// An address is uint64_t, a native handle too (0 for none).

typedef Stream OptionalStream;
// A member that cannot fail and never waits.
%define %quick(MEMBER)
%noexception MEMBER;
%enddef

// Options with many fields, filled by field name. The names, kinds and comments of the fields come
// from the header, so that a new field reaches every language.
%define %options(CLASS, COMMENT)
/** COMMENT */
struct CLASS {
  %extend {
    CLASS() { return new CLASS; }
    ~CLASS() { delete $self; }
    /** Sets a field that is a text. */
    void set_text(const char *name, const char *value) { $self->fields().set_text(name, value); }
    /** Sets a field that is a choice or a number. */
    void set_number(const char *name, int64_t value) { $self->fields().set_number(name, value); }
    /** Adds to a field that is a list of texts. */
    void add_text(const char *name, const char *value) { $self->fields().add_text(name, value); }
    /** Adds to a field that is a list of numbers. */
    void add_number(const char *name, int64_t value) { $self->fields().add_number(name, value); }
    /** Adds to a field that is a list of bytes. */
    void add_bytes(const char *name, const void *data, size_t size) { $self->fields().add_bytes(name, data, size); }
    /** Sets a field that is a key, or adds to one that is a list of keys. */
    void add_key(const char *name, cucore_key_algorithm algorithm, const void *data, size_t size) { $self->fields().add_key(name, algorithm, data, size); }
  }
};
%enddef
