// SPDX-License-Identifier: Apache-2.0
import io.cucore.*;

/** 01: compile CUDA C++ at run time and print the result. Needs no device and no driver. */
class Compile {
  public static void main(String[] args) {
    String source =
        "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {\n"
            + "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            + "  if (i < n) y[i] = a * x[i] + y[i];\n"
            + "}\n";
    // snippet: compile
    ProgramOptions options = ProgramOptions.builder().name("saxpy.cu").build();
    try (Program program = Program.ofCuda(source, options);
        ObjectCode code = program.compile(CodeType.PTX)) {
      System.out.printf("compiled %s to %d bytes of PTX for %s%n",
          code.getName(), code.getBytes().length, code.getArch());
      for (Symbol symbol : code.getSymbols()) {
        System.out.println(symbol + " takes " + symbol.getParameters());
      }
    }
    // end of snippet
    // snippet: errors
    try (Program program = Program.ofCuda("__global__ void broken() { oops; }")) {
      program.compile(CodeType.PTX);
    } catch (CompilationException e) { // one class for each status; all are CucoreExceptions
      System.out.println(e.getStatus() + ": " + e.getMessage());
      e.getDiagnostics().forEach(System.out::println); // e.getLog() is the compiler's whole output
    }
    // end of snippet
  }
}
