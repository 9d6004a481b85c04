// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.List;

/** One symbol of object code: a kernel, a variable, a function. */
public final class Symbol {
  //: fields private (ObjectCode code, long index)
  private final String expression = code.symbolExpressionNow(index); // The name as written, "saxpy&lt;float&gt;" -> the name, "" where unknown
  private final String loweredName = code.symbolLoweredNameNow(index); // The name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m" -> the name
  private final SymbolKind kind = code.symbolKindNow(index); // Its kind -> the kind
  private final long size = code.symbolSizeNow(index); // The size of data -> bytes
  private final long parameterCount = code.symbolParameterCountNow(index);
  //: also cucore_objectcode_symbol_parameters
  //: also cucore_objectcode_symbol_parameter_at
  private final List<Parameter> parameters = parameterCount > 0 ? Parameter.list(code.symbolParametersNow(index)) : List.of(); // The parameters of a kernel -> the parameters in order, unmodifiable

  static List<Symbol> of(ObjectCode code) {
    return Facts.list(code.getSymbolCount(), i -> new Symbol(code, i));
  }

  /**
   * Returns whether the code records the parameters of a kernel.
   *
   * @return true if {@link #parameters()} has all parameters
   */
  public boolean hasParameters() {
    return parameterCount >= 0;
  }

  //: said kind + " " + (expression.isEmpty() ? loweredName : expression)
}
