// SPDX-License-Identifier: Apache-2.0
// The configuration of a launch: grid, block and other settings.
using System.Runtime.InteropServices;

namespace Cucore {
/// <summary>Up to three extents; an int is one in x alone, a tuple has two or three.</summary>
public readonly struct Dim3 {
  /// <summary>The first extent.</summary>
  public uint X { get; }
  /// <summary>The second; 0 is 1.</summary>
  public uint Y { get; }
  /// <summary>The third; 0 is 1.</summary>
  public uint Z { get; }

  /// <summary>Extents; by default 1.</summary>
  public Dim3(uint x, uint y = 1, uint z = 1) {
    X = x;
    Y = y;
    Z = z;
  }

  /// <summary>An extent in x.</summary>
  public static implicit operator Dim3(int x) { return new Dim3(Checked.Extent(x, nameof(x))); }
  /// <summary>Extents in x and y.</summary>
  public static implicit operator Dim3((int X, int Y) both) { return new Dim3(Checked.Extent(both.X, "x"), Checked.Extent(both.Y, "y")); }
  /// <summary>Extents in x, y and z.</summary>
  public static implicit operator Dim3((int X, int Y, int Z) all) {
    return new Dim3(Checked.Extent(all.X, "x"), Checked.Extent(all.Y, "y"), Checked.Extent(all.Z, "z"));
  }

  /// <summary>"(4, 1, 1)".</summary>
  public override string ToString() { return $"({X}, {Y}, {Z})"; }
}

/// <summary>The configuration of a launch: new LaunchConfig(grid, block) { DynamicShared = 1024
/// }.</summary>
public partial struct LaunchConfig {
  internal const int HeadSize = 56;
  private const int HasTailBit = int.MinValue;

  // LaunchHead of cpp/launch.hpp
  [StructLayout(LayoutKind.Sequential)]
  private struct Head {
    internal Dim3 Grid, Block, Cluster;
    internal uint DynamicShared;
    internal int Cooperative, ProgrammaticSerialization, Priority, ArgumentCount;
  }

  private Head head;
  private LaunchTail? tail;  // null: none of its settings is set. A copy shares it, so a change makes a new one

  /// <summary>A grid of blocks of threads.</summary>
  public LaunchConfig(Dim3 grid, Dim3 block) : this() {
    head.Grid = grid;
    head.Block = block;
  }

  /// <summary>Blocks, also with a cluster.</summary>
  public Dim3 Grid { get { return head.Grid; } set { head.Grid = value; } }
  /// <summary>Threads per block.</summary>
  public Dim3 Block { get { return head.Block; } set { head.Block = value; } }
  /// <summary>Blocks per cluster; by default none, or the value of the compile.</summary>
  public Dim3 Cluster { get { return head.Cluster; } set { head.Cluster = value; } }
  /// <summary>Bytes per block; above 48 KiB the kernel's attribute is raised.</summary>
  public int DynamicShared { get { return (int)head.DynamicShared; } set { head.DynamicShared = Checked.Extent(value, nameof(DynamicShared)); } }
  /// <summary>Whether all blocks run at once and may synchronise.</summary>
  public bool Cooperative { get { return head.Cooperative != 0; } set { head.Cooperative = value ? 1 : 0; } }
  /// <summary>Whether it may start before the end of the kernel before it.</summary>
  public bool ProgrammaticSerialization {
    get { return head.ProgrammaticSerialization != 0; }
    set { head.ProgrammaticSerialization = value ? 1 : 0; }
  }
  /// <summary>0: the stream's.</summary>
  public int Priority { get { return head.Priority; } set { head.Priority = value; } }

  private LaunchTail Given { get { return tail ?? LaunchTail.None; } }
  private LaunchTail Changed() { return tail = Given.Clone(); }

  /// <summary>Blocks per cluster where they fit, a multiple of Cluster; by default none.</summary>
  public Dim3 PreferredCluster { get { return Given.Words.PreferredCluster; } set { Changed().Words.PreferredCluster = value; } }
  /// <summary>The placement of the blocks of a cluster.</summary>
  public ClusterScheduling ClusterScheduling {
    get { return (ClusterScheduling)Given.Words.ClusterScheduling; }
    set { Changed().Words.ClusterScheduling = (int)value; }
  }
  /// <summary>Percent of the L1 cache that is preferred as shared memory; 0: the kernel's, -1: none.</summary>
  public int SharedCarveout { get { return Given.Words.SharedCarveout; } set { Changed().Words.SharedCarveout = value; } }
  /// <summary>1: the remote domain; 0: the stream's.</summary>
  public int MemoryDomain { get { return Given.Words.MemoryDomain; } set { Changed().Words.MemoryDomain = value; } }
  /// <summary>The number of the default domain | that of the remote one * 256. By default the stream's domains.</summary>
  public int MemoryDomainMap { get { return Given.Words.MemoryDomainMap; } set { Changed().Words.MemoryDomainMap = value; } }
  /// <summary>Whether kernels may update the node of the graph; the stream must be captured.</summary>
  public bool DeviceUpdatable { get { return Given.Words.DeviceUpdatable != 0; } set { Changed().Words.DeviceUpdatable = value ? 1 : 0; } }
  /// <summary>Whether it is scheduled for the use of NVLink.</summary>
  public bool NvlinkScheduling { get { return Given.Words.NvlinkScheduling != 0; } set { Changed().Words.NvlinkScheduling = value ? 1 : 0; } }
  /// <summary>The event that is recorded when all blocks have triggered the start of dependent kernels. It has no timing.</summary>
  public CudaEvent? ProgrammaticEvent { get { return Given.ProgrammaticEvent; } set { Changed().ProgrammaticEvent = value; } }
  /// <summary>Whether each block triggers ProgrammaticEvent when it begins.</summary>
  public bool ProgrammaticAtStart { get { return Given.Words.ProgrammaticAtStart != 0; } set { Changed().Words.ProgrammaticAtStart = value ? 1 : 0; } }
  /// <summary>The event that is recorded when all blocks have begun. It has no timing.</summary>
  public CudaEvent? CompletionEvent { get { return Given.CompletionEvent; } set { Changed().CompletionEvent = value; } }
  /// <summary>How the L2 cache treats accesses; by default as the stream's window.</summary>
  public AccessWindow? AccessWindow { get { return Given.Window; } set { Changed().Window = value; } }

  /// <summary>Sets a further attribute of the driver, a CUlaunchAttributeID, to at most 64 bytes of its value.</summary>
  public void SetAttribute(int id, byte[] value) {
    if (Checked.NotNull(value, nameof(value)).Length > LaunchTail.ValueSize)
      throw new System.ArgumentException($"the value has {value.Length} bytes; expected at most {LaunchTail.ValueSize}", nameof(value));
    Changed().Attributes[id] = (byte[])value.Clone();
  }

  internal static int TailSize(in LaunchConfig config) { return config.tail == null ? 0 : config.tail.Size; }
  internal static LaunchTail? TailOf(in LaunchConfig config) { return config.tail; }

  // Static, so that arguments passed by reference are not copied. The tail follows, if there is one.
  internal static unsafe byte* Write(in LaunchConfig config, byte* to, int count) {
    *(Head*)to = config.head;
    ((Head*)to)->ArgumentCount = config.tail == null ? count : count | HasTailBit;
    return to + HeadSize;
  }
}
}
