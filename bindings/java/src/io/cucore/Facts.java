// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What object code tells piece by piece. */
final class Facts {
  private Facts() {}

  static List<Diagnostic> diagnostics(ObjectCode code) {
    List<Diagnostic> all = new ArrayList<>();
    long count = code.getDiagnosticCountNow();
    for (long i = 0; i < count; ++i) {
      all.add(
          new Diagnostic(
              code.diagnosticSeverityNow(i),
              code.diagnosticLineNow(i),
              code.diagnosticColumnNow(i),
              code.diagnosticFileNow(i),
              code.diagnosticTextNow(i)));
    }
    return Collections.unmodifiableList(all);
  }

  static Map<String, String> metadata(ObjectCode code) {
    Map<String, String> all = new LinkedHashMap<>();
    long count = code.getMetadataCountNow();
    for (long i = 0; i < count; ++i) {
      all.put(code.metadataKeyNow(i), code.metadataValueNow(i));
    }
    return Collections.unmodifiableMap(all);
  }
}
