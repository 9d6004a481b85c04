// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class Program {
  static {
    NativeLoader.supply(NativeLoader.CPU_DEVICE);
  }

  /** A program of CUDA C++ with the default options.
   * @param source its text
   * @return the program */
  public static Program ofCuda(String source) {
    return new Program(SourceType.CUDA_CPP, source, null);
  }

  /** A program of CUDA C++. Nothing is compiled or opened yet.
   * @param source its text
   * @param options null for the defaults
   * @return the program
   * @throws InvalidArgumentException the message names the wrong option */
  public static Program ofCuda(String source, ProgramOptions options) {
    return new Program(SourceType.CUDA_CPP, source, options);
  }

  //: cucore_program_create
  public Program(SourceType type, String source, ProgramOptions options) {
    this(type, Given.utf8(source, "source"), options);
  }

  //: cucore_program_create
  public Program(SourceType type, byte[] source, ProgramOptions options) {
    this(create(type, source, options), true);
  }

  private static long create(SourceType type, byte[] source, ProgramOptions options) {
    int number = SourceType.number(type, "type");
    Given.notNull(source, "source");
    try (NativeProgramOptions fields = options == null ? null : options.toNative()) {
      return CucoreNativeJNI.new_Program(number, source, NativeProgramOptions.getCPtr(fields), fields);
    }
  }

  //: cucore_program_compile
  public ObjectCode compile(CodeType target, String... nameExpressions) {
    return compileNow(target, Given.noneNull(nameExpressions, "nameExpressions"));
  }

  /** Returns the result of {@link #compile(CodeType, String...)}, and compiles only programs that
   * were not compiled before. {@link Cache#compile} also returns the place where it was found.
   * @param target PTX, CUBIN or LTOIR for CUDA C++, CUBIN for PTX, PTX or LTOIR for NVVM IR
   * @param cache the cache for lookups and results; null: none
   * @param nameExpressions templates and overloads of CUDA C++ to instantiate
   * @return the object code; its log has the warnings
   * @throws CompilationException its log() has the compiler's whole output
   * @throws LinkingException the same for PTX, which a linker compiles */
  public ObjectCode compile(CodeType target, Cache cache, String... nameExpressions) {
    return cache == null ? compile(target, nameExpressions) : cache.compile(this, target, nameExpressions).code();
  }

  //: cucore_program_compile_batch
  public static java.util.List<BatchResult> compileBatch(java.util.Collection<BatchItem> items) {
    return compileBatch(items, null);
  }

  //: cucore_program_compile_batch
  public static java.util.List<BatchResult> compileBatch(java.util.Collection<BatchItem> items, BatchOptions options) {
    return BatchResult.of(items, options == null ? BatchOptions.DEFAULTS : options);
  }

  //: said Said.of("Program", this::isClosed, () -> "for " + getBackend())
}
