package io.cucore;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One symbol of object code: a kernel, a variable, a function. */
public final class Symbol {
  private final String expression;
  private final String loweredName;
  private final SymbolKind kind;
  private final long size;
  private final long parameterCount;
  private final List<Parameter> parameters;

  private Symbol(ObjectCode code, long lease, long index) {
    expression = code.symbolExpressionNow(index);
    loweredName = code.symbolLoweredNameNow(index);
    kind = code.symbolKindNow(index);
    size = code.symbolSizeNow(index);
    parameterCount = code.symbolParameterCountNow(index);
    parameters = parameterCount > 0 ? Parameter.list(Natives.symbolParameters(lease, index)) : List.of();
  }

  static List<Symbol> of(ObjectCode code) {
    List<Symbol> all = new ArrayList<>();
    long count = code.getSymbolCount();
    for (long i = 0; i < count; ++i) {
      all.add(new Symbol(code, ObjectCode.getCPtr(code), i));
    }
    Reference.reachabilityFence(code);
    return Collections.unmodifiableList(all);
  }

  /**
   * The name as written, "saxpy&lt;float&gt;".
   *
   * @return the name, "" where unknown
   */
  public String expression() {
    return expression;
  }

  /**
   * The name in the code, "_Z5saxpyIfEvT_PKS0_PS0_m".
   *
   * @return the name
   */
  public String loweredName() {
    return loweredName;
  }

  /**
   * What it is.
   *
   * @return the kind
   */
  public SymbolKind kind() {
    return kind;
  }

  /**
   * The size of data.
   *
   * @return bytes
   */
  public long size() {
    return size;
  }

  /**
   * Whether the code says what parameters a kernel has.
   *
   * @return true if {@link #parameters()} is what there is
   */
  public boolean hasParameters() {
    return parameterCount >= 0;
  }

  //: also cucore_objectcode_symbol_parameters
  //: also cucore_objectcode_symbol_parameter_at
  /**
   * The parameters of a kernel.
   *
   * @return the parameters in order, unmodifiable
   */
  public List<Parameter> parameters() {
    return parameters;
  }

  @Override
  public String toString() {
    return kind + " " + (expression.isEmpty() ? loweredName : expression);
  }
}
