// SPDX-License-Identifier: Apache-2.0
// The form of the shared sections in Java: names, types, exceptions, the body of every class.
%rename("%(lowercamelcase)s", %$isfunction) "";
%rename("$ignore", %$isdestructor) "";  // Natives.close() does it for all
%{
#include "callable.hpp"
#include "elements.hpp"
#include "lease.hpp"
#include "longs.hpp"
#include "node_info.hpp"
#include "raise.hpp"
#include "text.hpp"
%}

%namewarn("") *::clone();  // public here
%include "java/exceptions.i"
%include "java/types.i"
%include "java/classes.i"
