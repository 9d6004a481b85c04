// SPDX-License-Identifier: Apache-2.0
// Captures: the work of a stream becomes nodes of a graph.
using System;
using System.Collections.Generic;

namespace Cucore {
/// <summary>A capture under way: the work of its stream becomes nodes of a graph, and does not run. Each launch of the
/// graph runs it. End() returns the graph; Dispose without it drops the capture.</summary>
public sealed class Capture : IDisposable {
  private readonly bool ownsStream;
  private readonly Graph? into;
  private bool isOpen = true;

  internal Capture(CudaStream stream, bool ownsStream, CaptureMode mode, Graph? into, GraphNodes after) {
    Stream = stream;
    this.ownsStream = ownsStream;
    this.into = into;
    try {
      stream.RawBeginCapture(mode, into, after);
    } catch {
      DisposeOwn();
      throw;
    }
  }

  /// <summary>The stream whose work is captured.</summary>
  public CudaStream Stream { get; }

  /// <summary>The graph under way, to add nodes by hand.</summary>
  /// <exception cref="InvalidStateException">the capture has ended</exception>
  public Graph Graph { get { return into ?? Stream.CaptureGraph; } }

  //: cucore_stream_end_capture
  /// <returns>the graph</returns>
  public Graph End() {
    Graph made = Stream.RawEndCapture();
    isOpen = false;
    if (into == null) return made;
    made.Dispose();
    return into;
  }

  /// <summary>Forks the stream into new streams, whose work has no order among them. Dispose of the result joins them.</summary>
  /// <param name="count">the number of new streams</param>
  public Fork Fork(int count) { return new Fork(Stream, (int)Checked.NotNegative(count, nameof(count))); }

  /// <summary>Drops the capture unless End() was called. The stream runs its work again.</summary>
  public void Dispose() {
    if (isOpen && !Stream.IsDisposed) {
      isOpen = false;
      try {
        Stream.RawEndCapture().Dispose();
      } catch (CucoreException) {
        // it was broken, or a failed End() has ended it
      }
    }
    DisposeOwn();
  }

  private void DisposeOwn() {
    if (ownsStream) Stream.Dispose();
  }

  /// <summary>Its stream.</summary>
  public override string ToString() { return $"capture of {Stream}{(isOpen ? "" : ", ended")}"; }
}

/// <summary>Streams that a captured stream was forked into. Dispose joins them, and disposes of them.</summary>
public sealed class Fork : IDisposable {
  private readonly CudaStream stream;
  private readonly List<CudaStream> streams = new List<CudaStream>();
  private bool isOpen = true;

  internal Fork(CudaStream stream, int count) {
    this.stream = stream;
    try {
      using (CudaDevice device = stream.Device) {
        for (int i = 0; i < count; ++i) {
          streams.Add(new CudaStream(device));
          streams[i].WaitStream(stream);
        }
      }
    } catch {
      streams.ForEach(each => each.Dispose());
      throw;
    }
  }

  /// <summary>The new streams.</summary>
  public IReadOnlyList<CudaStream> Streams { get { return streams.AsReadOnly(); } }

  /// <summary>One of the new streams.</summary>
  public CudaStream this[int index] { get { return streams[index]; } }

  /// <summary>Lets the captured stream wait for the new ones, and disposes of those. A second call does nothing.</summary>
  public void Dispose() {
    if (!isOpen) return;
    isOpen = false;
    try {
      streams.ForEach(each => stream.WaitStream(each));
    } finally {
      streams.ForEach(each => each.Dispose());
    }
  }

  /// <summary>Its stream, and how many streams it has.</summary>
  public override string ToString() { return $"fork of {stream} into {Describe.Counted(streams.Count, "stream")}"; }
}

public partial class CudaStream {
  //: cucore_stream_begin_capture
  /// <param name="mode">the calls of other code that break the capture</param>
  /// <param name="into">null: a new graph; else the graph that gets the nodes</param>
  /// <param name="after">the nodes of it that the first work comes after</param>
  /// <returns>the capture</returns>
  public Capture Capture(CaptureMode mode = CaptureMode.Relaxed, Graph? into = null, GraphNodes after = default(GraphNodes)) {
    return new Capture(this, false, mode, into, after);
  }

  //: cucore_stream_capture_nodes
  public IReadOnlyList<GraphNode> CaptureNodes { get { return RawCaptureNodes(); } }
}

public partial class CudaDevice {
  /// <summary>Captures the work of a new stream, which Dispose of the capture disposes of.</summary>
  /// <param name="mode">the calls of other code that break the capture</param>
  /// <returns>the capture</returns>
  public Capture Capture(CaptureMode mode = CaptureMode.Relaxed) {
    return new Capture(new CudaStream(this), true, mode, null, default(GraphNodes));
  }
}
}
