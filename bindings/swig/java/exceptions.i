// SPDX-License-Identifier: Apache-2.0
// Converts a failed call to the exception of its status.
%exception {
  try { $action }
  catch (const Failure &failure) { cucore::java::raise(jenv, failure); return $null; }
  catch (const Raised &raised) { raised.builder->rethrow(); return $null; }
  catch (const std::bad_alloc &) { cucore::java::raise_out_of_memory(jenv); return $null; }
  catch (const std::exception &unexpected) { cucore::java::raise_unexpected(jenv, unexpected); return $null; }
}
