// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** Facts that object code reports one by one. */
final class Facts {
  private Facts() {}

  /** An unmodifiable list. Not that of List.of: exceptions hold one, and must be serializable. */
  static <T> List<T> list(long count, LongFunction<T> each) {
    List<T> all = new ArrayList<>();
    for (long i = 0; i < count; ++i) {
      all.add(each.apply(i));
    }
    return Collections.unmodifiableList(all);
  }

  static List<Diagnostic> diagnostics(ObjectCode code) {
    return list(code.getDiagnosticCountNow(), i -> new Diagnostic(code.diagnosticSeverityNow(i), code.diagnosticLineNow(i),
        code.diagnosticColumnNow(i), code.diagnosticFileNow(i), code.diagnosticTextNow(i)));
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
