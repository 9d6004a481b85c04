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
[StructLayout(LayoutKind.Sequential)]
public partial struct LaunchConfig {
  internal const int HeadSize = 56;

  // LaunchHead of cpp/launch.hpp
  private Dim3 grid, block, cluster;
  private uint dynamicShared;
  private int cooperative, programmaticSerialization, priority, argumentCount;

  /// <summary>A grid of blocks of threads.</summary>
  public LaunchConfig(Dim3 grid, Dim3 block) : this() {
    this.grid = grid;
    this.block = block;
  }

  /// <summary>Blocks, also with a cluster.</summary>
  public Dim3 Grid { get { return grid; } set { grid = value; } }
  /// <summary>Threads per block.</summary>
  public Dim3 Block { get { return block; } set { block = value; } }
  /// <summary>Blocks per cluster; by default none, or the value of the compile.</summary>
  public Dim3 Cluster { get { return cluster; } set { cluster = value; } }
  /// <summary>Bytes per block; above 48 KiB the kernel's attribute is raised.</summary>
  public int DynamicShared { get { return (int)dynamicShared; } set { dynamicShared = Checked.Extent(value, nameof(DynamicShared)); } }
  /// <summary>Whether all blocks run at once and may synchronise.</summary>
  public bool Cooperative { get { return cooperative != 0; } set { cooperative = value ? 1 : 0; } }
  /// <summary>Whether it may start before the end of the kernel before it.</summary>
  public bool ProgrammaticSerialization {
    get { return programmaticSerialization != 0; }
    set { programmaticSerialization = value ? 1 : 0; }
  }
  /// <summary>0: the stream's.</summary>
  public int Priority { get { return priority; } set { priority = value; } }

  // Static, so that arguments passed by reference are not copied.
  internal static unsafe byte* Write(in LaunchConfig config, byte* to, int count) {
    *(LaunchConfig*)to = config;
    ((LaunchConfig*)to)->argumentCount = count;
    return to + HeadSize;
  }
}
}
