// SPDX-License-Identifier: Apache-2.0
// Texts of objects: for a log, a debugger, a message of a failed check.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;

namespace Cucore {
internal static class Describe {
  /// <summary>Never throws: the text of a disposed object states that.</summary>
  internal static string Object(string what, Func<string> text) {
    try {
      return text();
    } catch (ObjectDisposedException) {
      return what + ", disposed";
    }
  }

  /// <summary>"1 byte", "2 bytes".</summary>
  internal static string Counted(long count, string noun) { return $"{count} {noun}{(count == 1 ? "" : "s")}"; }
  internal static string Bytes(long size) { return Counted(size, "byte"); }

  internal static string Device(CudaDevice device) {
    using (device) return $"device {device.Ordinal}";
  }

  /// <summary>"ProgramOptions(Arch=sm_90, DefineMacros={A, B})": the properties that are set.</summary>
  internal static string Properties(string type, params string?[] set) { return $"{type}({string.Join(", ", set.Where(each => each != null))})"; }

  /// <summary>"Arch=sm_90"; null for the default of the type, and for an empty list.</summary>
  internal static string? Set<T>(string name, T value) {
    if (EqualityComparer<T>.Default.Equals(value, default(T)!)) return null;
    if (value is string || !(value is IEnumerable all)) return $"{name}={value}";
    string[] each = all.Cast<object>().Select(Item).ToArray();
    return each.Length == 0 ? null : name + "={" + string.Join(", ", each) + "}";
  }

  // Sources and headers are long, so their names stand for them.
  private static string Item(object item) {
    return item is KeyValuePair<string, string> text ? text.Key : item is KeyValuePair<string, byte[]> bytes ? bytes.Key : $"{item}";
  }
}

//: shown Cache cache: $"cache {(Directory.Length == 0 ? "in memory" : Directory)}" -> Its folder
//: shown CudaDevice device: $"{Name} ({Arch}), device {Ordinal}" -> Its name, architecture and number
//: shown CudaStream stream: $"stream 0x{Native:x} of {Describe.Device(Device)}" -> Its handle and device
//: shown CudaEvent event: $"event 0x{Native:x} of {Describe.Device(Device)}{(HasTiming ? ", with timing" : "")}" -> Its handle and device
//: shown CudaBuffer buffer: $"buffer of {Describe.Bytes(Size)} at 0x{Address:x} of {Describe.Device(Device)}" -> Its size, address and device

public partial class CudaQueue {
  /// <summary>The numbers of pending futures and of waiting completions.</summary>
  public override string ToString() {
    return Describe.Object("queue", () => {
      QueueInfo info = Info;
      return $"queue, {info.Pending} pending, {info.Waiting} waiting{(info.IsClosed ? ", ended" : "")}";
    });
  }
}

//: shown Graph graph: $"graph of {Describe.Counted(NodeCount, "node")}" -> How many nodes it has
//: shown ExecutableGraph executable: $"executable 0x{Native:x} of {Describe.Device(Device)}" -> Its handle and device
//: shown CudaFuture future: $"future {Token}" -> Its token
//: shown CudaProgram program: $"program for {Backend}" -> What compiles it
//: shown Linker linker: $"linker by {Backend}" -> What links
//: shown Kernel kernel: $"kernel {Name}" + (ParameterCount is int count ? $" of {Describe.Counted(count, "parameter")}" : "") -> Its name, and how many parameters it has, where that is known

public partial struct LaunchConfig {
  /// <summary>"grid (4, 1, 1), block (256, 1, 1)", and the other settings.</summary>
  public override string ToString() {
    string rest = DynamicShared != 0 ? $", {Describe.Bytes(DynamicShared)} shared" : "";
    if (Cluster.X != 0) rest += $", cluster {Cluster}";
    if (Cooperative) rest += ", cooperative";
    if (ProgrammaticSerialization) rest += ", programmatic serialization";
    if (Priority != 0) rest += $", priority {Priority}";
    if (tail != null) rest += ", and more";
    return $"grid {Grid}, block {Block}{rest}";
  }
}

public readonly partial struct Arg {
  /// <summary>The buffer; or the size, and the bytes of a small value.</summary>
  public override string ToString() {
    if (other is CudaBuffer buffer) return buffer.ToString();
    ulong unused = ~0UL >> 8 * (InlineSize - Math.Min(Size, InlineSize));
    return IsNone ? "nothing" : other == null ? $"{Describe.Bytes(Size)}, 0x{bits & unused:x}" : Describe.Bytes(Size);
  }
}

public sealed partial class Key {
  /// <summary>Its algorithm; never the bytes.</summary>
  public override string ToString() { return $"{Algorithm} key of {Describe.Bytes(bytes.Length)}"; }
}

public partial struct Completion {
  /// <summary>The token and the status.</summary>
  public override string ToString() { return $"{Token}: {Status}"; }
}

public sealed partial class BatchItem {
  /// <summary>The program and its target.</summary>
  public override string ToString() { return $"{Program} to {Target}"; }
}
}
