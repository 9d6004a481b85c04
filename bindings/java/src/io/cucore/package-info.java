// SPDX-License-Identifier: Apache-2.0
/**
 * CUDA's object model for Java: devices, streams, events, memory, run-time compiling, object code and
 * launches, on a GPU or on the CPU device.
 *
 * <p>Everything that holds a native object is {@link java.lang.AutoCloseable}: close it, best by
 * try-with-resources. An object that was not closed is released once it is unreachable. Any
 * method may be called from any thread. An object may be closed while another thread is inside a call
 * with it; the call ends first. A call on a closed object throws {@link io.cucore.InvalidHandleException}.
 *
 * <p>A failed call throws a subclass of {@link io.cucore.CucoreException}, one for each status.
 */
package io.cucore;
