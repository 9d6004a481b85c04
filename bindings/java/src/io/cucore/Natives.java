// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/** The hand-written native methods. Objects are passed by their leases. */
final class Natives {
  static {
    NativeLoader.load();
  }

  private Natives() {}

  static native void close(long lease);

  /** Returns the address of an object with a new reference, for the library of arrays. */
  static native long retained(int type, long lease);

  /** Takes a reference over, and returns a lease. */
  static native long leaseOf(int type, long address);

  static native long addressOf(Buffer direct);

  /** Returns the record for the objects of a thread's launches; 0 is a valid one, which is slower. */
  static native long openRecord();

  static native void closeRecord(long record);

  /** Launches with a parameter block behind the options. Returns the index of a closed object of the block, or -1. */
  static native int launchPacked(long record, long kernel, long stream, long block, int size);

  /** Returns the index of a closed object of the block, or -1. */
  static native int launch(long record, long kernel, long stream, long block, int size);

  /** Does the same for a prepared launch, whose lease it writes to an array of one. */
  static native int prepare(long record, long kernel, long stream, long block, int size, long[] prepared);

  /** Does the same with a block of one argument, which replaces the one at an index. */
  static native int update(long record, long prepared, int index, long block, int size);

  /** Adds a kernel node to a graph, and writes its number to an array of one. Returns the same. */
  static native int addKernel(
      long record, long graph, long kernel, long[] after, long block, int size, long[] node);

  /** Changes a kernel node, and leaves the kernel if it is 0, the options and the arguments if they are absent. */
  static native int setKernel(long record, boolean isExecutable, long graph, long node, long kernel,
      boolean hasOptions, boolean hasArguments, long block, int size);

  /** Copies to or from an array, from a byte of it on, or at an address if the array is null. */
  static native void copy(boolean isWrite, long buffer, long stream, long offset, Object array, long start, long size);

  static native ByteBuffer viewOfBuffer(long buffer);

  static native ByteBuffer viewOfCode(long code);
}
