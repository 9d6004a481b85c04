// SPDX-License-Identifier: Apache-2.0
// Object code: from bytes, to bytes, and its content.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Runtime.Serialization;

namespace Cucore {
public partial class ObjectCode : ISerializable {
  private static readonly ObjectCodeOptions noOptions = new ObjectCodeOptions();
  private static readonly DeserializeOptions plain = new DeserializeOptions();

  //: cucore_objectcode_create
  public static ObjectCode FromBytes(CodeType type, byte[] data, ObjectCodeOptions? options = null) {
    return FromBytes(type, Checked.NotNull(data, nameof(data)), options);
  }

  //: cucore_objectcode_from_file
  public static ObjectCode FromFile(CodeType type, string path, ObjectCodeOptions? options = null) {
    options = options ?? noOptions;
    return RawFromFile(type, path ?? throw new ArgumentNullException(nameof(path)), options.Name!, options.Arch!, options.Pick(false), options.Pick(true));
  }

  /// <summary>Reads a file of object code or a container, and detects the type by the content.</summary>
  /// <param name="path">the file</param>
  /// <param name="options">null: none</param>
  public static ObjectCode FromFile(string path, ObjectCodeOptions? options = null) { return FromFile(default(CodeType), path, options); }

  //: cucore_objectcode_bundle
  public static ObjectCode Bundle(params ObjectCode[] images) {
    if (images == null) throw new ArgumentNullException(nameof(images));
    using (NativeImages list = new NativeImages()) {
      foreach (ObjectCode image in images) list.Add(image ?? throw new ArgumentException("an image is null", nameof(images)));
      return list.RawBundle();
    }
  }

  //: cucore_objectcode_deserialize
  /// <param name="data">the output of ToBytes, or of any other language</param>
  public static ObjectCode Load(byte[] data, DeserializeOptions? options = null) {
    return Load(Checked.NotNull(data, nameof(data)), options);
  }

  private static unsafe IntPtr LoadHandle(ReadOnlySpan<byte> data, DeserializeOptions options) {
    using (NativeKeys keys = new NativeKeys())
    fixed (byte* first = &MemoryMarshal.GetReference(data)) {
      foreach (Key key in options.Keys ?? new Key[0]) (key ?? throw new ArgumentException("a key is null")).AddTo(keys);
      IntPtr made = CucoreNativePINVOKE.ObjectCode_RawDeserialize((IntPtr)first, (UIntPtr)data.Length, options.MaxCodeSize,
                                                                  (int)options.SignaturePolicy, NativeKeys.getCPtr(keys));
      CucoreNativePINVOKE.Check();
      return made;
    }
  }

  //: cucore_objectcode_create
  public static unsafe ObjectCode FromBytes(CodeType type, ReadOnlySpan<byte> data, ObjectCodeOptions? options = null) {
    options = options ?? noOptions;
    fixed (byte* first = &MemoryMarshal.GetReference(data))
      return RawCreate(type, (IntPtr)first, data.Length, options.Name!, options.Arch!, options.Pick(false), options.Pick(true));
  }

  //: cucore_objectcode_deserialize
  /// <param name="data">the output of ToBytes, or of any other language</param>
  public static ObjectCode Load(ReadOnlySpan<byte> data, DeserializeOptions? options = null) {
    return new ObjectCode(LoadHandle(data, options ?? plain), true);
  }

  //: cucore_objectcode_serialize
  public byte[] ToBytes(SerializeOptions? options = null) {
    using (NativeKeys key = new NativeKeys()) {
      options?.SigningKey?.AddTo(key);
      return ToBytes(Fields.ToToggle(options?.Compression), key);
    }
  }

  /// <summary>Writes the output of ToBytes into memory of the caller.</summary>
  /// <param name="destination">room for the bytes</param>
  /// <param name="bytesWritten">the number of bytes; 0 if the room is too small</param>
  /// <param name="options">null: not compressed, unsigned</param>
  /// <returns>false if the room is too small</returns>
  public unsafe bool TryWriteBytes(Span<byte> destination, out int bytesWritten, SerializeOptions? options = null) {
    using (NativeKeys key = new NativeKeys()) {
      options?.SigningKey?.AddTo(key);
      Toggle compression = Fields.ToToggle(options?.Compression);
      long size = RawSerialize(compression, key, IntPtr.Zero, 0);
      bytesWritten = size > destination.Length ? 0 : (int)size;
      if (size > destination.Length) return false;
      fixed (byte* first = &MemoryMarshal.GetReference(destination)) RawSerialize(compression, key, (IntPtr)first, size);
      return true;
    }
  }

  private byte[] ToBytes(Toggle compression, NativeKeys key) {
    byte[] bytes = new byte[checked((int)RawSerialize(compression, key, IntPtr.Zero, 0))];
    using (Pinned pinned = new Pinned(bytes)) RawSerialize(compression, key, pinned.Address, bytes.Length);
    return bytes;
  }

  /// <summary>Reads it from the output of GetObjectData. Formatters that run code of the stream's
  /// choosing are not safe for untrusted files; use Load for those.</summary>
  private ObjectCode(SerializationInfo info, StreamingContext context)
      : this(LoadHandle((byte[])info.GetValue("bytes", typeof(byte[])), plain), true) {}

  /// <summary>Serializes it, as ToBytes does.</summary>
  public void GetObjectData(SerializationInfo info, StreamingContext context) { info.AddValue("bytes", ToBytes()); }

  // Without marshalling: SafeHandle's counting and Mono's code around it would double the cost of
  // the call.
  [DllImport("cucorecs", EntryPoint = "CSharp_Cucore_ObjectCode_RawIsLoaded_get")]
  private static extern uint ReadIsLoaded(IntPtr code);

  //: cucore_objectcode_is_loaded
  public bool IsLoaded {
    get {
      Handle held = owned;
      // nothing is thrown here, so no finally is needed
      uint isLoaded = ReadIsLoaded(held.Enter());
      held.Leave();
      return isLoaded != 0;
    }
  }

  //: cucore_objectcode_data
  public byte[] Data { get { return RawData(); } }

  //: cucore_objectcode_find_kernel
  public Kernel GetKernel(string name) { return RawKernel(name ?? throw new ArgumentNullException(nameof(name))); }

  //: cucore_objectcode_find_global
  /// <returns>its address on that device, valid while the code is loaded, and its size in
  /// bytes</returns>
  public (ulong Address, long Size) FindGlobal(string name, CudaDevice device) {
    NativePair found = RawFindGlobal(name ?? throw new ArgumentNullException(nameof(name)), device);
    return ((ulong)found.First, found.Second);
  }

  /// <summary>The images of a bundle, each as separate object code; for other code,
  /// itself.</summary>
  public IReadOnlyList<ObjectCode> GetImages() {
    ObjectCode[] images = new ObjectCode[ImageCount];
    for (int i = 0; i < images.Length; ++i) images[i] = GetImage(i);
    return images;
  }

  //: also cucore_objectcode_metadata_key
  //: also cucore_objectcode_metadata_value
  //: also cucore_objectcode_metadata_count
  /// <summary>Facts about its origin, by name: "producer" and others.</summary>
  public IReadOnlyDictionary<string, string> Metadata {
    get {
      using (new Use(swigCPtr)) {
        SortedDictionary<string, string> facts = new SortedDictionary<string, string>(StringComparer.Ordinal);
        for (long i = 0, count = RawMetadataCount; i < count; ++i) facts[RawMetadataKey(i)] = RawMetadataValue(i);
        return facts;
      }
    }
  }

  //: also cucore_objectcode_diagnostic_at
  //: also cucore_objectcode_diagnostic_count
  /// <summary>The messages in Log, parsed: file, line, severity, text.</summary>
  public IReadOnlyList<Diagnostic> Diagnostics {
    get {
      using (new Use(swigCPtr)) {
        Diagnostic[] all = new Diagnostic[RawDiagnosticCount];
        for (int i = 0; i < all.Length; ++i)
          all[i] = new Diagnostic(RawDiagnosticSeverity(i), RawDiagnosticFile(i), RawDiagnosticLine(i), RawDiagnosticColumn(i), RawDiagnosticText(i));
        return all;
      }
    }
  }

  /// <summary>Its name, type and architecture.</summary>
  public override string ToString() {
    return Describe.Object("object code", () =>
        $"{(Name.Length == 0 ? "object code" : Name)}: {Type} for {(Arch.Length == 0 ? "several devices" : Arch)}");
  }
}
}
