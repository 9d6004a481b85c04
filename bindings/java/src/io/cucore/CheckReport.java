// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** One report of the checks of kernels. */
public final class CheckReport {
  //: fields private (Checks checks, long index)
  private final String kind = checks.reportKindNow(index); // Its kind, "shared-race" or "out-of-bounds" -> the kind
  private final String kernel = checks.reportKernelNow(index); // The name of the kernel, "reverse", or the work of the driver -> the name
  private final String message = checks.reportMessageNow(index); // The access or the event -> the message
  private final String file = checks.reportFileNow(index); // The source file -> the file, "" without line information
  private final int line = checks.reportLineNow(index); // The line in the source -> the line, 0 without line information
  private final int ptxLine = checks.reportPtxLineNow(index); // The line in the PTX -> the line, 0 if unknown
  private final List<Integer> block = indices(checks, checks.reportBlockNow(index), index); // The index of the block -> x, y and z; empty if the report is not of one thread
  private final List<Integer> thread = indices(checks, checks.reportThreadNow(index), index); // The index of the thread in its block -> x, y and z; empty if the report is not of one thread
  private final String space = checks.reportSpaceNow(index); // The memory, "global", "shared" or "local" -> the space, "" without an access
  private final long address = checks.reportAddressNow(index); // The address of the access -> the address
  private final long size = checks.reportSizeNow(index); // The size of the access -> bytes
  private final long allocation = checks.reportAllocationNow(index); // The address of the allocation -> the address, 0 without an allocation
  private final long allocationSize = checks.reportAllocationSizeNow(index); // The size of the allocation -> bytes
  private final String allocatedBy = checks.reportAllocatedByNow(index); // The call of the driver that made the allocation -> the call, "" if unknown
  private final String freedBy = checks.reportFreedByNow(index); // The call of the driver that freed the allocation -> the call, "" if unknown
  private final String other = checks.reportOtherNow(index); // The other access of a race -> the access, "" without one
  private final String otherFile = checks.reportOtherFileNow(index); // The source file of the other access -> the file
  private final int otherLine = checks.reportOtherLineNow(index); // The line of the other access -> the line, 0 if unknown
  private final int otherPtxLine = checks.reportOtherPtxLineNow(index); // The line of the other access in the PTX -> the line, 0 if unknown
  private final String schedule = checks.reportScheduleNow(index); // The random schedule, "random:7" -> the schedule, "" under other schedules
  private final long seed = checks.reportSeedNow(index); // The seed of the schedule -> the seed
  private final long times = checks.reportTimesNow(index); // The number of times that it happened -> the number
  private final String text = checks.reportTextNow(index); // The whole report -> one line
  private final String json = checks.reportJsonNow(index); // The whole report as JSON -> an object

  static List<CheckReport> of(Checks checks) {
    return Facts.list(checks.getReportCount(), i -> new CheckReport(checks, i));
  }

  private static List<Integer> indices(Checks checks, byte[] xyz, long index) {
    ByteBuffer numbers = ByteBuffer.wrap(xyz).order(ByteOrder.nativeOrder());
    return checks.reportHasThreadNow(index) ? List.of(numbers.getInt(0), numbers.getInt(4), numbers.getInt(8)) : List.of();
  }

  //: said text
}
