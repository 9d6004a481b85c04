// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Options of an {@link ExecutableGraph}. */
public final class ExecutableOptions {
  //: builder
  final boolean freeOnLaunch; // Whether a launch first frees what the previous one allocated and left -> the choice
  final boolean deviceLaunch; // Whether kernels may launch it -> the choice
  final boolean nodePriority; // Whether kernels have the priority of their options, and not the stream's -> the choice
  final CudaStream upload; // Optional: The stream in which the graph goes to the device now (default: with the first launch) -> the stream, or null
}
