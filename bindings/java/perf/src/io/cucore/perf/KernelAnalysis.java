// SPDX-License-Identifier: Apache-2.0
package io.cucore.perf;

import io.cucore.LaunchConfig;
import io.cucore.Parameter;
import io.cucore.Status;
import io.cucore.Symbol;
import java.util.List;

/** One kernel of one image, with its resources. {@link Analysis#kernels()} has all. */
public final class KernelAnalysis extends KernelInfo {
  private final Analysis analysis;
  private final int index;

  KernelAnalysis(Memory from, Analysis analysis, int index) {
    super(from);
    this.analysis = analysis;
    this.index = index;
  }

  /**
   * Counts the instructions of one class in the code.
   *
   * @param instructionClass the class; ANY counts all
   * @return the counts
   */
  public Instructions instructionCounts(InstructionClass instructionClass) {
    return instructionCounts(instructionClass, level());
  }

  /**
   * Counts the instructions of one class at a level.
   *
   * @param instructionClass the class; ANY counts all
   * @param level MACHINE or PTX
   * @return the counts
   * @throws io.cucore.NotFoundException the image does not have this level
   */
  public Instructions instructionCounts(InstructionClass instructionClass, CodeLevel level) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Instructions.SIZE).putLong(0, Instructions.SIZE);
      frame.check(Natives.cucore_analysis_instructions(analysis.address(), index, Frame.notNull(level, "level").getValue(),
          Frame.notNull(instructionClass, "instructionClass").getValue(), out.address, frame.error()));
      return new Instructions(out);
    }
  }

  /**
   * Computes the occupancy of a kernel of machine code.
   *
   * @param arch the architecture; null is that of the code
   * @param block threads per block; 0 is the largest block of the kernel
   * @param shared bytes of dynamic shared memory per block
   * @return the occupancy
   * @throws io.cucore.InvalidStateException the kernel is PTX, which has no registers
   */
  public Occupancy occupancy(String arch, int block, int shared) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(Occupancy.SIZE).putLong(0, Occupancy.SIZE);
      frame.check(Natives.cucore_analysis_occupancy(analysis.address(), index, frame.text(arch), block, shared, out.address, frame.error()));
      return new Occupancy(out);
    }
  }

  /**
   * Computes what one launch moves and computes, without a device and without memory.
   *
   * @param config grid, block, cluster and dynamic shared memory of the launch
   * @param arguments the arguments; null stands for a buffer of its own
   * @return the model
   * @throws io.cucore.NotFoundException the code does not contain the PTX of the kernel
   */
  public LaunchModel model(LaunchConfig config, Object... arguments) {
    try (Frame frame = new Frame()) {
      Memory out = frame.memory(LaunchModel.SIZE).putLong(0, LaunchModel.SIZE);
      Memory given = Arguments.write(frame, name(), launchParameters(), Frame.notNull(arguments, "arguments"));
      frame.check(Natives.cucore_analysis_model(analysis.address(), index, Arguments.options(frame, Frame.notNull(config, "config")).address,
          given.address, arguments.length, out.address, frame.error()));
      return new LaunchModel(out);
    }
  }

  private List<Parameter> launchParameters() {
    for (Symbol each : analysis.code().getSymbols()) {
      if (each.loweredName().equals(name()) && each.hasParameters()) {
        return each.parameters();
      }
    }
    Frame.refuse(Status.NOT_FOUND, "the code does not record the parameters of " + name());
    return List.of();
  }
}
