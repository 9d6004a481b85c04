// SPDX-License-Identifier: Apache-2.0
package io.cucore;

final class ObjectCode {
  static {
    NativeLoader.supply(NativeLoader.CPU_DEVICE);
  }

  private static final long serialVersionUID = 1L;

  //: cucore_objectcode_create
  public static ObjectCode fromBytes(CodeType type, byte[] data) {
    return fromBytes(type, data, null);
  }

  //: cucore_objectcode_create
  public static ObjectCode fromBytes(CodeType type, byte[] data, ObjectCodeOptions options) {
    ObjectCodeOptions o = options == null ? ObjectCodeOptions.DEFAULTS : options;
    return createNow(type, data, o.name, o.arch, o.expressions(), o.loweredNames());
  }

  /** Reads a file of object code or a container, and detects its type by the content. LTOIR is not
   * detected: see {@link #fromFile(CodeType, java.nio.file.Path)}.
   * @param path the file
   * @return the object code
   * @throws NotFoundException the file does not exist
   * @throws InvalidCodeException the content is not object code */
  public static ObjectCode fromFile(java.nio.file.Path path) {
    String file = Given.notNull(path, "path").toString();
    return new ObjectCode(CucoreNativeJNI.ObjectCode_fromFileNow(0, file, null, null, new String[0], new String[0]), true);
  }

  //: cucore_objectcode_from_file
  // @param type the type of the bytes
  public static ObjectCode fromFile(CodeType type, java.nio.file.Path path) {
    return fromFile(type, path, null);
  }

  //: cucore_objectcode_from_file
  // @param type the type of the bytes
  public static ObjectCode fromFile(CodeType type, java.nio.file.Path path, ObjectCodeOptions options) {
    ObjectCodeOptions o = options == null ? ObjectCodeOptions.DEFAULTS : options;
    return fromFileNow(type, Given.notNull(path, "path").toString(), o.name, o.arch, o.expressions(), o.loweredNames());
  }

  //: cucore_objectcode_serialize
  // @return the container
  public byte[] serialize() {
    return serialize(null);
  }

  //: cucore_objectcode_serialize
  // @return the container
  public byte[] serialize(SerializeOptions options) {
    return Containers.write(this, options);
  }

  //: cucore_objectcode_deserialize
  // @param container the bytes
  public static ObjectCode deserialize(byte[] container) {
    return Containers.read(Given.notNull(container, "container"), null);
  }

  //: cucore_objectcode_deserialize
  // @param container the bytes
  public static ObjectCode deserialize(byte[] container, DeserializeOptions options) {
    return Containers.read(Given.notNull(container, "container"), options);
  }

  //: cucore_objectcode_deserialize
  // @param container the bytes from its position to its limit; the position stays
  public static ObjectCode deserialize(java.nio.ByteBuffer container, DeserializeOptions options) {
    return Containers.read(Memory.bytesOf(Given.notNull(container, "container")), options);
  }

  //: cucore_objectcode_is_loaded
  // @return true if it is
  public boolean isLoaded() {
    return getIsLoadedNow();
  }

  //: cucore_objectcode_data
  // @return the bytes: text for PTX, without a NUL at the end
  public byte[] getBytes() {
    return dataNow();
  }

  /** The code's bytes, without a copy. They stay valid while the view or a slice of it is in use,
   * also after {@link #close()}.
   * @return a read-only view
   * @throws UnsupportedException the code is larger than a ByteBuffer can be */
  public java.nio.ByteBuffer asByteBuffer() {
    return Memory.view(open(), this);
  }

  //: also cucore_objectcode_symbol_at
  /** The symbols of the code: kernels first, in the order of the code. No driver is needed.
   * @return the symbols, unmodifiable */
  public java.util.List<Symbol> getSymbols() {
    return Symbol.of(this);
  }

  //: cucore_objectcode_find_kernel
  public Kernel kernel(String name) {
    Kernel kernel = kernelNow(Given.notNull(name, "name"));
    kernel.nameOfUser = name;
    return kernel;
  }

  //: cucore_objectcode_find_global
  // @return its address on that device, valid while the code is loaded
  public GlobalVariable findGlobal(String name, CudaDevice device) {
    return new GlobalVariable(findGlobalNow(Given.notNull(name, "name"), device));
  }

  //: also cucore_objectcode_diagnostic_at
  //: also cucore_objectcode_diagnostic_count
  /** The messages of the compiler or the linker, in the log's order.
   * @return the diagnostics, unmodifiable */
  public java.util.List<Diagnostic> getDiagnostics() {
    return Facts.diagnostics(this);
  }

  //: also cucore_objectcode_metadata_key
  //: also cucore_objectcode_metadata_count
  //: also cucore_objectcode_metadata_value
  /** The record of how it was made: "producer" and other facts, sorted, the items of a list a line each.
   * @return the facts, unmodifiable */
  public java.util.Map<String, String> getMetadata() {
    return Facts.metadata(this);
  }

  //: cucore_objectcode_symbol_resources
  public ResourceUse getResources(int symbol) {
    return new ResourceUse(this, symbol);
  }

  //: cucore_objectcode_bundle
  public static ObjectCode bundle(ObjectCode... images) {
    try (NativeImages all = new NativeImages()) {
      for (ObjectCode each : Given.noneNull(images, "images")) {
        all.add(each);
      }
      return all.bundleNow();
    } finally {
      java.lang.ref.Reference.reachabilityFence(images);
    }
  }

  /** Its container replaces it.
   * @return the replacement */
  private Object writeReplace() {
    return new Containers.Proxy(serialize());
  }

  /** Refuses: only the container is read.
   * @param stream not used
   * @throws java.io.InvalidObjectException always */
  private void readObject(java.io.ObjectInputStream stream) throws java.io.InvalidObjectException {
    throw new java.io.InvalidObjectException("object code is read by its proxy");
  }

  //: said Said.of("ObjectCode", this::isClosed, () -> getName() + " (" + getType() + (getArch().isEmpty() ? ")" : ", " + getArch() + ")"))
}
