// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.ArrayList;
import java.util.List;

/** The memory of arrays and of similar objects, which are arguments of one launch. */
final class Lending implements AutoCloseable {
  private final List<DeviceMemory.Loan> loans = new ArrayList<>();
  private final Object[] arguments;
  private final CudaStream stream;

  /** Returns whether an argument lends memory. */
  static boolean isNeeded(Object[] arguments) {
    for (Object each : arguments) {
      if (each instanceof DeviceMemory) {
        return true;
      }
    }
    return false;
  }

  Lending(CudaStream stream, Object[] given) {
    this.stream = stream;
    arguments = given.clone();
    try {
      for (int i = 0; i < arguments.length; ++i) {
        if (arguments[i] instanceof DeviceMemory) {
          arguments[i] = addressOf((DeviceMemory) arguments[i]);
        }
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private Arg addressOf(DeviceMemory owner) {
    DeviceMemory.Loan loan = owner.lend(stream);
    loans.add(loan);
    return Arg.address(loan.getBuffer().getAddress() + loan.getOffset(), owner.getClass().getSimpleName());
  }

  /** Returns the arguments with addresses in the places of the owners. */
  Object[] arguments() {
    return arguments;
  }

  /** Keeps the memory until the work in the stream has ended. The kernel is queued. */
  void record() {
    for (DeviceMemory.Loan each : loans) {
      each.getBuffer().recordUse(stream);
    }
  }

  @Override
  public void close() {
    loans.forEach(DeviceMemory.Loan::close);
  }
}
