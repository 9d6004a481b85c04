// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/** How to reach a remote of a {@link Cache}. */
public final class RemoteOptions {
  //: builder
  final boolean readOnly; // Whether nothing is sent to it; default: what is built here is -> true to send nothing
  final long connectTimeoutMillis; // Duration: How long connecting may take; default: 100 ms -> the time, in whole milliseconds; zero: the default
  final long timeoutMillis; // Duration: How long one request may take; default: one second -> the time, in whole milliseconds; zero: the default
}
