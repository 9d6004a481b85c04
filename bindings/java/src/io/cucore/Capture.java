// SPDX-License-Identifier: Apache-2.0
package io.cucore;

/**
 * A capture under way, for try-with-resources: the work of its stream becomes nodes of a graph, and does not run.
 * Each launch of the graph runs it. {@link #end()} returns the graph; a close without it drops the capture.
 */
public final class Capture implements AutoCloseable {
  private final CudaStream stream;
  private final boolean ownsStream;
  private final Graph into; // null: a new graph
  private boolean isOpen = true;

  /** Begins the capture. It closes a stream of its own at its end, and if it does not begin. */
  Capture(CudaStream stream, boolean ownsStream, CaptureMode mode, Graph into, Iterable<? extends GraphNode> after) {
    this.stream = stream;
    this.ownsStream = ownsStream;
    this.into = into;
    try {
      stream.beginCaptureNow(mode, into, after);
    } catch (RuntimeException | Error e) {
      closeOwn();
      throw e;
    }
  }

  private void closeOwn() {
    if (ownsStream) {
      stream.close();
    }
  }

  /**
   * The stream whose work is captured.
   *
   * @return the stream
   */
  public CudaStream getStream() {
    return stream;
  }

  /**
   * The graph under way, to add nodes by hand.
   *
   * @return the graph
   * @throws InvalidStateException the capture has ended
   */
  public Graph getGraph() {
    return into == null ? stream.getCaptureGraph() : into;
  }

  //: cucore_stream_end_capture
  // @return the graph
  public Graph end() {
    Graph made = stream.endCaptureNow();
    isOpen = false;
    if (into == null) {
      return made;
    }
    made.close();
    return into;
  }

  /**
   * Forks the stream into new streams, whose work has no order among them. The close of the result joins them.
   *
   * @param count the number of new streams
   * @return the streams
   * @throws InvalidArgumentException count is below 0
   */
  public Fork fork(int count) {
    return new Fork(stream, Given.notNegative(count, "count"));
  }

  /** Drops the capture unless {@link #end()} was called. The stream runs its work again. */
  @Override
  public void close() {
    if (isOpen && !stream.isClosed()) {
      isOpen = false;
      try {
        stream.endCaptureNow().close();
      } catch (CucoreException e) {
        // it was broken, or a failed end() has ended it
      }
    }
    closeOwn();
  }

  @Override
  public String toString() {
    return "Capture of " + stream + (isOpen ? "" : " (ended)");
  }
}
