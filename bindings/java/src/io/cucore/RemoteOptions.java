// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** Options for the access to a remote of a {@link Cache}. */
public final class RemoteOptions {
  //: builder
  final boolean readOnly; // Whether nothing is sent to it (default: results are sent) -> true to send nothing
  final long connectTimeoutMillis; // Duration: The time limit of a connection (default: 100 ms) -> the time, in whole milliseconds; zero means the default
  final long timeoutMillis; // Duration: The time limit of a request (default: one second) -> the time, in whole milliseconds; zero means the default
}
