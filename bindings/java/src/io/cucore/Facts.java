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
    long count = code.getDiagnosticCount();
    for (long i = 0; i < count; ++i) {
      all.add(
          new Diagnostic(
              code.diagnosticSeverity(i),
              code.diagnosticLine(i),
              code.diagnosticColumn(i),
              code.diagnosticFile(i),
              code.diagnosticText(i)));
    }
    return Collections.unmodifiableList(all);
  }

  static Map<String, String> metadata(ObjectCode code) {
    Map<String, String> all = new LinkedHashMap<>();
    long count = code.getMetadataCount();
    for (long i = 0; i < count; ++i) {
      all.put(code.metadataKey(i), code.metadataValue(i));
    }
    return Collections.unmodifiableMap(all);
  }
}
