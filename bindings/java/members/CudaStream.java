// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class CudaStream {
  private int ordinalAndOne; // 0: not read yet

  /** The device's number. */
  int ordinal() {
    int known = ordinalAndOne;
    if (known == 0) {
      try (CudaDevice device = getDevice()) {
        known = device.getOrdinal() + 1;
      }
      ordinalAndOne = known;
    }
    return known - 1;
  }

  //: cucore_stream_from_native
  // @param handle the CUstream
  public static CudaStream fromNative(CudaDevice device, long handle) {
    return fromNativeNow(device, handle);
  }

  //: wait cucore_stream_synchronize Waits.until(timeout, "the work of the stream", this::query)

  //: cucore_buffer_copy_box
  // @param width bytes of a row
  // @param height rows of a slice
  // @param depth slices
  public void copyBox(Box destination, Box source, long width, long height, long depth) {
    Given.notNull(destination, "destination");
    Given.notNull(source, "source");
    copyBoxNow(destination.buffer(), destination.offset(), destination.rowBytes(), destination.sliceRows(), destination.x(), destination.y(), destination.z(),
        source.buffer(), source.offset(), source.rowBytes(), source.sliceRows(), source.x(), source.y(), source.z(),
        Given.notNegative(width, "width"), Given.notNegative(height, "height"), Given.notNegative(depth, "depth"));
  }

  //: cucore_stream_set_access_window
  // @param window null: none
  public void setAccessWindow(AccessWindow window) {
    if (window == null) {
      setAccessWindowNow(null, 0, 0, 0, AccessProperty.NORMAL, AccessProperty.NORMAL);
    } else {
      setAccessWindowNow(window.buffer(), window.offset(), window.size(), (float) window.hitRatio(), window.hit(), window.miss());
    }
  }

  /** Adds a function to the stream. It runs when the work before it is complete; work after it starts when
   * the function has returned. A thread's handler of uncaught exceptions receives what it throws, and the
   * stream goes on. On a captured stream it runs at each launch of the graph, which keeps it. It must not
   * wait for the stream.
   * @param function the function
   * @throws InvalidStateException the process is exiting */
  public void launchHost(Runnable function) {
    launchHost(function, Completions.DEFAULT);
  }

  /** Adds a function to the stream, as {@link #launchHost(Runnable)}.
   * @param function the function
   * @param executor runs the function
   * @throws InvalidStateException the process is exiting */
  public void launchHost(Runnable function, java.util.concurrent.Executor executor) {
    open();
    HostFunctions.launch(this, function, executor);
  }

  //: cucore_stream_is_capturing
  // @return true between the begin and the end of a capture
  public boolean isCapturing() {
    return getIsCapturingNow();
  }

  //: cucore_stream_begin_capture
  // @param mode the calls of other code that break the capture
  // @param into null: a new graph; else the graph that gets the nodes
  // @param after the nodes of it that the first work comes after, or null
  // @return the capture
  public Capture capture(CaptureMode mode, Graph into, Iterable<? extends GraphNode> after) {
    open();
    return new Capture(this, false, Given.notNull(mode, "mode"), into, after);
  }

  //: cucore_stream_begin_capture
  // @param mode the calls of other code that break the capture
  // @return the capture
  public Capture capture(CaptureMode mode) {
    return capture(mode, null, null);
  }

  //: cucore_stream_begin_capture
  // @return the capture
  public Capture capture() {
    return capture(CaptureMode.RELAXED);
  }

  //: cucore_stream_capture_nodes
  // @return the nodes
  public java.util.List<GraphNode> getCaptureNodes() {
    return captureNodesNow();
  }

  //: said Said.of("CudaStream", this::isClosed, () -> Said.handle(getNativeHandle(), getDevice()))

  /** The end of all present work of the stream. No thread is blocked for it. Cancelling the result
   * ends only the waiting: the work continues.
   * @return completes with null, or with the exception of the failure, in the default executor of
   * CompletableFuture
   * @throws InvalidStateException the stream is being captured */
  public java.util.concurrent.CompletableFuture<Void> completion() {
    return Completions.of(this, Completions.DEFAULT);
  }

  /** The end of all present work of the stream, as {@link #completion()}.
   * @param executor runs the dependent stages that are not async
   * @return completes with null, or with the exception of the failure
   * @throws InvalidStateException the stream is being captured */
  public java.util.concurrent.CompletableFuture<Void> completion(java.util.concurrent.Executor executor) {
    return Completions.of(this, executor);
  }
}
