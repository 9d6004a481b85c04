// SPDX-License-Identifier: Apache-2.0
package io.cucore;

import java.util.ArrayList;
import java.util.List;

/** Streams that a captured stream was forked into, for try-with-resources: a close joins and closes them. */
public final class Fork implements AutoCloseable {
  private final CudaStream stream;
  private final List<CudaStream> streams = new ArrayList<>();
  private boolean isOpen = true;

  Fork(CudaStream stream, int count) {
    this.stream = stream;
    try (CudaDevice device = stream.getDevice()) {
      for (int i = 0; i < count; ++i) {
        streams.add(new CudaStream(device));
        streams.get(i).waitStream(stream);
      }
    } catch (RuntimeException | Error e) {
      streams.forEach(CudaStream::close);
      throw e;
    }
  }

  /**
   * The new streams.
   *
   * @return the streams, unmodifiable
   */
  public List<CudaStream> getStreams() {
    return List.copyOf(streams);
  }

  /**
   * One of the new streams.
   *
   * @param index from 0
   * @return the stream
   */
  public CudaStream stream(int index) {
    return streams.get(index);
  }

  /** Lets the captured stream wait for the new ones, and closes those. A second close does nothing. */
  @Override
  public void close() {
    if (!isOpen) {
      return;
    }
    isOpen = false;
    try {
      streams.forEach(stream::waitStream);
    } finally {
      streams.forEach(CudaStream::close);
    }
  }

  @Override
  public String toString() {
    return "Fork of " + stream + " into " + Said.counted(streams.size(), "stream");
  }
}
