// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.List;

/** The parts of an exception. */
final class Failure {
  //: fields ()
  final int status;
  final String message;
  final String log;
  final String origin;
  final int nativeCode;
  final String nativeName;
  final List<Diagnostic> diagnostics;

  Failure(Status status, String message) {
    this(status.value(), message, "", "cucore", 0, "", List.of());
  }
}
