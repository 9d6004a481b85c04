// Members of the classes that are Java's own. What is named here first is for them alone: a member
// with a nicer form in Java, in bindings/java/src or below.
%define %for_package(MEMBER)
%javamethodmodifiers MEMBER "/* raw */";
%enddef
%ignore Buffer::write;  // Natives does these without a copy on the heap
%ignore Buffer::read;
%ignore Kernel::launch;
%for_package(Buffer::fill)
%for_package(Device::uuid)
%rename(uuidBytes) Device::uuid;
%rename(wrapNative) Stream::from_native;
%rename(findGlobalNow) ObjectCode::find_global;
%rename(bestBlockSize) Kernel::max_potential_block_size;
%for_package(ObjectCode::kernel)
%rename(kernelNow) ObjectCode::kernel;
%for_package(ObjectCode::is_loaded)
%rename(loadedNow) ObjectCode::is_loaded;
%for_package(Program::Program)
%for_package(Program::compile)
%for_package(Linker::Linker)
%for_package(Cache::Cache)
%for_package(Cache::add_remote)
%rename(getOrBuildNow) Cache::get_or_build;
%rename(compileNow) Cache::compile;
%rename(findNow) Cache::find;
%rename(linkNow) Cache::link;
%rename(statisticsNow) Cache::statistics;
%rename(statisticsOfAllNow) Cache::statistics_of_all;
%rename(entriesNow) Cache::entries;
%rename(verifyNow) Cache::verify;
%rename(trimNow) Cache::trim;
%rename(explainNow) Cache::explain_miss;
%rename(addRemoteNow) Cache::add_remote;
%for_package(ObjectCode::diagnostic_count)
%for_package(ObjectCode::metadata_count)
%for_package(cucore_status_name)
%for_package(cucore_version)
%for_package(cucore_version_string)
%for_package(library_set_path)
%for_package(library_symbol)
%for_package(log_write)
%for_package(log_enabled)
%for_package(driver_select)

%typemap(javaconstruct) Buffer {
    this(Allocation.allocate(() -> $imcall), true);
  }
%typemap(javaout) Buffer *Buffer::pinned, Buffer *Buffer::managed {
    return new CudaBuffer(Allocation.allocate(() -> $jnicall), true);
  }

%extend Device { %proxycode %{
  /** Opens device 0.
   * @return the device */
  public static CudaDevice first() {
    return new CudaDevice(0);
  }

  /** One property of a device, by the driver's number (CUdevice_attribute).
   * @param attribute the number
   * @return its value
   * @throws InvalidArgumentException the driver does not know the attribute */
  public int attribute(int attribute) {
    return CucoreNativeJNI.CudaDevice_attribute(open(), this, attribute);
  }

  /** The 16 bytes that name this device on every machine and in every process.
   * @return the bytes as a UUID */
  public java.util.UUID getUuid() {
    java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(uuidBytes());
    return new java.util.UUID(bytes.getLong(), bytes.getLong());
  }

  /** The compute capability, 9 and 0 for sm_90.
   * @return major and minor */
  public ComputeCapability getComputeCapability() {
    return new ComputeCapability(computeCapability());
  }

  /** Device memory at this moment.
   * @return the bytes that are free and all */
  public MemoryInfo getMemory() {
    return new MemoryInfo(memory());
  }

  /** The range of stream priorities.
   * @return the least, which is the default, and the greatest, a lower number */
  public PriorityRange getStreamPriorities() {
    return new PriorityRange(streamPriorities());
  }

  /** Whether both are open and the same device.
   * @param other an object
   * @return true for one device opened twice */
  @Override public boolean equals(Object other) {
    if (this == other || !(other instanceof CudaDevice)) {
      return this == other;
    }
    CudaDevice that = (CudaDevice) other;
    return !isClosed() && !that.isClosed() && getOrdinal() == that.getOrdinal();
  }

  @Override public int hashCode() {
    return CudaDevice.class.hashCode(); // closing must not change it
  }

  @Override public String toString() {
    return Said.of("CudaDevice", this::isClosed, () -> getOrdinal() + " (" + getName() + ")");
  }
%} }

%extend Stream { %proxycode %{
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

  /** Wraps a CUstream that somebody else made; it is borrowed, never destroyed, and must outlive the
   * result. 0 and the driver's special values mean the default streams.
   * @param device the stream's device
   * @param handle the CUstream
   * @return the stream
   * @throws InvalidArgumentException the stream belongs to another device or context */
  public static CudaStream fromNative(CudaDevice device, long handle) {
    return wrapNative(device, handle);
  }

  @Override public String toString() {
    return Said.of("CudaStream", this::isClosed, () -> Said.handle(getNativeHandle(), getDevice()));
  }
%} }

%extend Event { %proxycode %{
  /** Makes an event that measures time, not recorded yet.
   * @param device where it is recorded
   * @return the event */
  public static CudaEvent timed(CudaDevice device) {
    return new CudaEvent(device, true);
  }

  @Override public String toString() {
    return Said.of("CudaEvent", this::isClosed,
        () -> Said.handle(getNativeHandle(), getDevice()) + (hasTiming() ? ", timed" : ""));
  }
%} }

%extend Buffer { %proxycode %{
  long leaseOrZero() {
    return swigCPtr;
  }

  /** Copies into the buffer from its beginning, in the stream's order. Returns when the source may
   * be used again.
   * @param source a byte[], short[], char[], int[], long[], float[], double[], or a ByteBuffer, of
   *     which the bytes from its position to its limit are copied as they are, whatever its order;
   *     its position stays. A direct ByteBuffer is not copied on the way
   * @param stream in whose order
   * @throws InvalidArgumentException source is nothing of these, or larger than the buffer, or the
   *     stream belongs to another device */
  public void write(Object source, CudaStream stream) {
    write(source, stream, 0);
  }

  /** Copies into the buffer, in the stream's order. Returns when the source may be used again.
   * @param source as for {@link #write(Object, CudaStream)}
   * @param stream in whose order
   * @param offset in bytes, in the buffer
   * @throws InvalidArgumentException as for {@link #write(Object, CudaStream)} */
  public void write(Object source, CudaStream stream, long offset) {
    Memory.write(open(), this, source, CudaStream.getCPtr(Given.notNull(stream, "stream")), stream, offset);
  }

  /** Copies from the buffer's beginning, in the stream's order. Returns when the destination is
   * filled.
   * @param destination as the source of {@link #write(Object, CudaStream)}; all of it is filled
   * @param stream in whose order
   * @throws InvalidArgumentException as for {@link #write(Object, CudaStream)}
   * @throws KernelFaultException a kernel before it in the stream broke the context */
  public void read(Object destination, CudaStream stream) {
    read(destination, stream, 0);
  }

  /** Copies from the buffer, in the stream's order. Returns when the destination is filled.
   * @param destination as for {@link #read(Object, CudaStream)}
   * @param stream in whose order
   * @param offset in bytes, in the buffer
   * @throws InvalidArgumentException as for {@link #write(Object, CudaStream)}
   * @throws KernelFaultException a kernel before it in the stream broke the context */
  public void read(Object destination, CudaStream stream, long offset) {
    Memory.read(open(), this, destination, CudaStream.getCPtr(Given.notNull(stream, "stream")), stream, offset);
  }

  /** Fills the whole buffer with a repeated value, in the stream's order, asynchronously.
   * @param value a Byte, Short, Character, Integer, Float, Long or Double
   * @param stream in whose order */
  public void fill(Object value, CudaStream stream) {
    fill(value, stream, 0, getSize());
  }

  /** Fills a range with a repeated value, in the stream's order, asynchronously.
   * @param value a Byte, Short, Character, Integer, Float, Long or Double
   * @param stream in whose order
   * @param offset in bytes, a multiple of the value's size
   * @param length in bytes, a multiple of the value's size
   * @throws InvalidArgumentException the range is not inside the buffer, or the value is none of these */
  public void fill(Object value, CudaStream stream, long offset, long length) {
    open();
    Given.notNull(stream, "stream");
    fill(Memory.pattern(value), length, stream, offset);
  }

  /** The bytes of pinned or managed memory, without a copy, in the machine's byte order. The memory
   * stays while the view or a slice of it is in use, also after {@link #close()}.
   * @return the view
   * @throws InvalidStateException this is device memory, which the host does not see
   * @throws UnsupportedException the buffer is larger than a ByteBuffer can be */
  public java.nio.ByteBuffer asByteBuffer() {
    return Memory.view(open(), this);
  }

  @Override public String toString() {
    return Said.of("CudaBuffer", this::isClosed, () -> "of " + getSize() + " bytes");
  }
%} }

%extend Program { %proxycode %{
  /** A program of CUDA C++ with the default options.
   * @param source its text
   * @return the program */
  public static Program ofCuda(String source) {
    return new Program(SourceType.CUDA_CPP, source, null);
  }

  /** A program of CUDA C++. Nothing is compiled or opened yet.
   * @param source its text
   * @param options null for the defaults
   * @return the program
   * @throws InvalidArgumentException the message names the option that is wrong */
  public static Program ofCuda(String source, ProgramOptions options) {
    return new Program(SourceType.CUDA_CPP, source, options);
  }

  /** Makes a program from a text. Nothing is compiled or opened yet.
   * @param type what it is written in
   * @param source its text
   * @param options null for the defaults
   * @throws InvalidArgumentException source has a lone surrogate, or the message names the option that
   *     is wrong
   * @throws InvalidCodeException the PTX has no .version or .target, or ends too early */
  public Program(SourceType type, String source, ProgramOptions options) {
    this(type, Given.utf8(source, "source"), options);
  }

  /** Makes a program from bytes. Nothing is compiled or opened yet.
   * @param type what it is written in
   * @param source its text in UTF-8, or the bitcode of NVVM IR
   * @param options null for the defaults
   * @throws InvalidArgumentException the message names the option that is wrong
   * @throws InvalidCodeException the PTX has no .version or .target, or ends too early */
  public Program(SourceType type, byte[] source, ProgramOptions options) {
    this(create(type, source, options), true);
  }

  private static long create(SourceType type, byte[] source, ProgramOptions options) {
    int number = SourceType.number(type, "type");
    Given.notNull(source, "source");
    try (NativeProgramOptions fields = options == null ? null : options.toNative()) {
      return CucoreNativeJNI.new_Program(number, source, NativeProgramOptions.getCPtr(fields), fields);
    }
  }

  /** Compiles a program. No device and no driver is needed, unless the driver's linker has to
   * compile PTX. Equal inputs give equal bytes.
   * @param target of CUDA C++ PTX, CUBIN or LTOIR; of PTX a CUBIN; of NVVM IR PTX or LTOIR
   * @param nameExpressions of CUDA C++: templates and overloads to instantiate, "saxpy&lt;float&gt;",
   *     under which {@link ObjectCode#kernel(String)} finds them
   * @return the object code; its log has the compiler's warnings
   * @throws CompilationException its log() has the compiler's whole output
   * @throws LinkingException the same for PTX, which a linker compiles
   * @throws InvalidArgumentException the target is none of those, or it is CUBIN and no real
   *     architecture is known
   * @throws LibraryMissingException the compiler was not found; the message lists every path tried */
  public ObjectCode compile(CodeType target, String... nameExpressions) {
    return compileNamed(target, Given.noneNull(nameExpressions, "nameExpressions"));
  }

  /** Gives what {@link #compile(CodeType, String...)} would, and compiles only what has not been
   * compiled before. {@link Cache#compile} says where it came from, too.
   * @param target of CUDA C++ PTX, CUBIN or LTOIR; of PTX a CUBIN; of NVVM IR PTX or LTOIR
   * @param cache where to look first, and to keep it; null: nowhere
   * @param nameExpressions of CUDA C++: templates and overloads to instantiate
   * @return the object code; its log has the compiler's warnings
   * @throws CompilationException its log() has the compiler's whole output
   * @throws LinkingException the same for PTX, which a linker compiles */
  public ObjectCode compile(CodeType target, Cache cache, String... nameExpressions) {
    return cache == null ? compile(target, nameExpressions) : cache.compile(this, target, nameExpressions).code();
  }

  /** Compiles many programs in worker processes, which is faster than in threads: the compiler does
   * one at a time in a process for most of its work. One that fails, takes too long, or crashes the
   * compiler does not touch the others. Programs in PTX and NVVM IR are compiled in this process.
   * @param items any number; programs may be the same
   * @return the results, in the order of the items, unmodifiable
   * @throws NotFoundException the workers' program, cucore-worker, was not found; the message lists
   *     every path tried */
  public static java.util.List<BatchResult> compileBatch(java.util.Collection<BatchItem> items) {
    return compileBatch(items, null);
  }

  /** Compiles many programs in worker processes, as {@link #compileBatch(java.util.Collection)}.
   * @param items any number; programs may be the same
   * @param options null for the defaults
   * @return the results, in the order of the items, unmodifiable
   * @throws NotFoundException the workers' program, cucore-worker, was not found; the message lists
   *     every path tried */
  public static java.util.List<BatchResult> compileBatch(java.util.Collection<BatchItem> items, BatchOptions options) {
    return BatchResult.of(items, options == null ? BatchOptions.DEFAULTS : options);
  }

  @Override public String toString() {
    return Said.of("Program", this::isClosed, () -> "for " + getBackend());
  }
%} }
%rename(compileNamed) Program::compile;

%typemap(javainterfaces) ObjectCode "AutoCloseable, java.io.Serializable"
%extend ObjectCode { %proxycode %{
  private static final long serialVersionUID = 1L;

  /** Makes object code from bytes that a compiler wrote. They are copied and checked.
   * @param type what they are, anything but a bundle
   * @param data the bytes
   * @return the object code
   * @throws InvalidCodeException the bytes are not what type says; the message gives the offset */
  public static ObjectCode fromBytes(CodeType type, byte[] data) {
    return fromBytes(type, data, null);
  }

  /** Makes object code from bytes that a compiler wrote. They are copied and checked.
   * @param type what they are, anything but a bundle
   * @param data the bytes
   * @param options names that go with them; null for none
   * @return the object code
   * @throws InvalidCodeException the bytes are not what type says; the message gives the offset */
  public static ObjectCode fromBytes(CodeType type, byte[] data, ObjectCodeOptions options) {
    ObjectCodeOptions o = options == null ? ObjectCodeOptions.NONE : options;
    return create(type, data, o.name, o.arch, o.expressions(), o.loweredNames());
  }

  /** The same from a file.
   * @param type what it holds
   * @param path the file; its last part is the default name
   * @return the object code
   * @throws NotFoundException no such file
   * @throws IoException it cannot be read
   * @throws InvalidCodeException the bytes are not what type says; the message gives the offset */
  public static ObjectCode fromFile(CodeType type, java.nio.file.Path path) {
    return fromFile(type, path, null);
  }

  /** The same from a file.
   * @param type what it holds
   * @param path the file; its last part is the default name
   * @param options names that go with it; null for none
   * @return the object code
   * @throws NotFoundException no such file
   * @throws IoException it cannot be read
   * @throws InvalidCodeException the bytes are not what type says; the message gives the offset */
  public static ObjectCode fromFile(CodeType type, java.nio.file.Path path, ObjectCodeOptions options) {
    ObjectCodeOptions o = options == null ? ObjectCodeOptions.NONE : options;
    return fromFile(type, Given.notNull(path, "path").toString(), o.name, o.arch, o.expressions(), o.loweredNames());
  }

  /** Writes the object code, names included, in the container format that every language reads.
   * Equal objects give equal bytes.
   * @return the container */
  public byte[] serialize() {
    return serialize(null);
  }

  /** Writes the object code, names included, in the container format that every language reads.
   * Equal objects give equal bytes.
   * @param options null for the defaults
   * @return the container */
  public byte[] serialize(SerializeOptions options) {
    return Containers.write(this, options);
  }

  /** Reads what {@link #serialize()} wrote, in any language, on any machine. Safe on bytes from
   * strangers; but object code is code: run only what you trust, which a required signature tells.
   * @param container the bytes
   * @return the object code
   * @throws InvalidCodeException not a container, damaged, or of a later version; the message gives
   *     the offset */
  public static ObjectCode deserialize(byte[] container) {
    return Containers.read(Given.notNull(container, "container"), null);
  }

  /** Reads what {@link #serialize()} wrote, as {@link #deserialize(byte[])}.
   * @param container the bytes
   * @param options null for the defaults
   * @return the object code
   * @throws SignatureException the signature is wrong or, where required, missing or of a key that
   *     was not given
   * @throws InvalidCodeException not a container, damaged, or of a later version; the message gives
   *     the offset */
  public static ObjectCode deserialize(byte[] container, DeserializeOptions options) {
    return Containers.read(Given.notNull(container, "container"), options);
  }

  /** Reads what {@link #serialize()} wrote, as {@link #deserialize(byte[])}.
   * @param container the bytes from its position to its limit; the position stays
   * @param options null for the defaults
   * @return the object code
   * @throws InvalidCodeException not a container, damaged, or of a later version; the message gives
   *     the offset */
  public static ObjectCode deserialize(java.nio.ByteBuffer container, DeserializeOptions options) {
    return Containers.read(Memory.bytesOf(Given.notNull(container, "container")), options);
  }

  /** Whether it is loaded.
   * @return true if it is */
  public boolean isLoaded() {
    return getLoadedNow();
  }

  /** A copy of the code's bytes.
   * @return the bytes: text for PTX, without a NUL at the end */
  public byte[] getBytes() {
    return data();
  }

  /** The code's bytes, without a copy. They stay while the view or a slice of it is in use, also
   * after {@link #close()}.
   * @return a read-only view
   * @throws UnsupportedException the code is larger than a ByteBuffer can be */
  public java.nio.ByteBuffer asByteBuffer() {
    return Memory.view(open(), this);
  }

  /** The symbols of the code: kernels first, in the order of the code. No driver is needed.
   * @return the symbols, unmodifiable */
  public java.util.List<Symbol> getSymbols() {
    return Symbol.of(this);
  }

  /** Finds a kernel. Nothing is loaded yet, unless only the driver can tell.
   * @param name as in the source, as in the code, or a name expression of {@link Program#compile}
   * @return the kernel
   * @throws NotFoundException the message lists the kernels there are */
  public Kernel kernel(String name) {
    Kernel kernel = kernelNow(Given.notNull(name, "name"));
    kernel.nameOfUser = name;
    return kernel;
  }

  /** Finds a variable on a device, loading the code if nothing has yet.
   * @param name of a __device__, __constant__ or __managed__ variable
   * @param device which one
   * @return where it is on that device, good while the code is loaded
   * @throws NotFoundException the message lists the variables there are */
  public GlobalVariable findGlobal(String name, CudaDevice device) {
    return new GlobalVariable(findGlobalNow(Given.notNull(name, "name"), device));
  }

  /** What the compiler or the linker said while making it, in the log's order.
   * @return the diagnostics, unmodifiable */
  public java.util.List<Diagnostic> getDiagnostics() {
    return Facts.diagnostics(this);
  }

  /** How it was made: "producer" and other facts, sorted, the items of a list a line each.
   * @return the facts, unmodifiable */
  public java.util.Map<String, String> getMetadata() {
    return Facts.metadata(this);
  }

  /** What a kernel needs, with no driver.
   * @param symbol the kernel's index in {@link #getSymbols()}
   * @return the figures
   * @throws UnsupportedException the code does not say: it is not machine code */
  public ResourceUse getResources(int symbol) {
    return new ResourceUse(this, symbol);
  }

  /** Puts several images of one program together, of which each device gets the one that fits best.
   * @param images PTX, CUBIN, LTOIR and bundles, two images or more in all; the name is the first's
   * @return the bundle
   * @throws InvalidArgumentException too few images, the same image twice, or a kind that
   *     cannot be in a bundle */
  public static ObjectCode bundle(ObjectCode... images) {
    try (Images all = new Images()) {
      for (ObjectCode each : Given.noneNull(images, "images")) {
        all.add(each);
      }
      return all.bundle();
    } finally {
      java.lang.ref.Reference.reachabilityFence(images);
    }
  }

  /** Its container goes in its place.
   * @return what is written */
  private Object writeReplace() {
    return new Containers.Proxy(serialize());
  }

  /** Refuses: only the container is read.
   * @param stream not used
   * @throws java.io.InvalidObjectException always */
  private void readObject(java.io.ObjectInputStream stream) throws java.io.InvalidObjectException {
    throw new java.io.InvalidObjectException("object code is read by its proxy");
  }

  @Override public String toString() {
    return Said.of("ObjectCode", this::isClosed,
        () -> getName() + " (" + getType() + (getArch().isEmpty() ? ")" : ", " + getArch() + ")"));
  }
%} }

%for_package(Kernel::parameter)
%rename(parameterAt) Kernel::parameter;
%extend Kernel { %proxycode %{
  String nameOfUser; // messages use it
  private volatile Signature[] signatures = {};

  String label() {
    String name = nameOfUser;
    return name == null ? getName() : name;
  }

  /** The parameters on the stream's device, which are read once. */
  Signature signature(long lease, CudaStream stream) {
    int ordinal = stream.ordinal();
    Signature[] known = signatures;
    return ordinal < known.length && known[ordinal] != null ? known[ordinal] : readSignature(lease, stream, ordinal);
  }

  private synchronized Signature readSignature(long lease, CudaStream stream, int ordinal) {
    Signature[] all = java.util.Arrays.copyOf(signatures, Math.max(signatures.length, ordinal + 1));
    all[ordinal] = Signature.of(lease, this, stream);
    signatures = all;
    return all[ordinal];
  }

  /** Launches the kernel on a stream. Before the driver is called, the number of arguments and the
   * size of each are checked against the kernel's parameters, the grid and block against the device.
   * The values are copied: arguments may be changed once this returns.
   * @param stream where it runs
   * @param config grid and block
   * @param arguments one per parameter, in order: a Byte, Short, Character, Integer, Long, Float,
   *     Double or Boolean, which is converted if the parameter holds its value exactly; a
   *     {@link CudaBuffer} or null for a pointer; a ByteBuffer in the machine's byte
   *     order, whose bytes from its position to its limit are a struct; an {@link Arg}. A number for
   *     a parameter of unknown class goes by its own size
   * @throws InvalidArgumentException the message names the argument that the parameter does not accept
   * @throws InvalidHandleException an argument is a buffer that has been closed, also by another
   *     thread during the call
   * @throws LaunchException too many registers, threads or shared memory for this kernel, or more
   *     blocks than a cooperative launch can hold
   * @throws UnsupportedException clusters or cooperative launches on a device without */
  public void launch(CudaStream stream, LaunchConfig config, Object... arguments) {
    long lease = open();
    Given.notNull(stream, "stream");
    Given.notNull(config, "config");
    Given.notNull(arguments, "arguments");
    LaunchBlock.launch(lease, this, stream, config, arguments);
  }

  /** Launches the kernel with its parameter block already laid out, as
   * {@link #launch(CudaStream, LaunchConfig, Object...)}.
   * @param stream where it runs
   * @param config grid and block
   * @param parameters every parameter at its offset; see {@link #getParameters(CudaDevice)}
   * @throws InvalidArgumentException the block has the wrong size */
  public void launchPacked(CudaStream stream, LaunchConfig config, byte[] parameters) {
    launchPacked(stream, Given.notNull(config, "config").head(Given.notNull(parameters, "parameters")));
  }

  /** The parameters: where each lies in the parameter block, and what it accepts. Layouts may differ between architectures.
   * @param device null: the first image
   * @return the parameters in order, unmodifiable
   * @throws UnsupportedException neither the code nor the driver says */
  public java.util.List<Parameter> getParameters(CudaDevice device) {
    long lease = open();
    try {
      return Parameter.list(Natives.parameters(lease, CudaDevice.getCPtr(device)));
    } finally {
      java.lang.ref.Reference.reachabilityFence(this);
      java.lang.ref.Reference.reachabilityFence(device);
    }
  }

  /** The block size that fills the device best, and the least grid that does.
   * @param device where
   * @param dynamicShared bytes a block
   * @param blockSizeLimit threads; 0: the device's limit
   * @return both sizes */
  public BlockSize maxPotentialBlockSize(CudaDevice device, long dynamicShared, int blockSizeLimit) {
    return new BlockSize(bestBlockSize(device, dynamicShared, blockSizeLimit));
  }

  /** How many clusters of such a launch fit on the device at a time.
   * @param device where
   * @param config with a cluster
   * @return the number
   * @throws UnsupportedException the device has no clusters */
  public int maxActiveClusters(CudaDevice device, LaunchConfig config) {
    return maxActiveClusters(device, Given.notNull(config, "config").head(new byte[0]));
  }

  @Override public String toString() {
    return Said.of("Kernel", this::isClosed, this::getName);
  }
%} }

%extend Linker { %proxycode %{
  /** Makes a linker with no inputs. Nothing is opened yet.
   * @param options null for the defaults
   * @throws InvalidArgumentException the message names the option that is wrong */
  public Linker(LinkerOptions options) {
    this(create(options), true);
  }

  private static long create(LinkerOptions options) {
    try (NativeLinkerOptions fields = options == null ? null : options.toNative()) {
      return CucoreNativeJNI.new_Linker(NativeLinkerOptions.getCPtr(fields), fields);
    }
  }

  /** Gives what {@link #link(CodeType)} would, and links only what has not been linked before.
   * {@link Cache#link} says where it came from, too.
   * @param target CUBIN; PTX of inputs that are LTOIR
   * @param cache where to look first, and to keep it; null: nowhere
   * @return the object code; its log has the warnings
   * @throws LinkingException its log() has the linker's output */
  public ObjectCode link(CodeType target, Cache cache) {
    return cache == null ? link(target) : cache.link(this, target).code();
  }

  @Override public String toString() {
    return Said.of("Linker", this::isClosed, () -> "by " + getBackend());
  }
%} }

%extend Cache { %proxycode %{
  /** Opens the cache in its usual folder: $CUCORE_CACHE_DIR, $XDG_CACHE_HOME/cucore or
   * ~/.cache/cucore.
   * @throws IoException the folder belongs to another user, or others can write to it */
  public Cache() {
    this((CacheOptions) null);
  }

  /** Opens the cache in a folder. One that cannot be made or written to is no failure: the cache then
   * works in memory, or reads only, and says so through the log.
   * @param directory the folder, which is made where it is not there
   * @throws IoException the folder belongs to another user, or others can write to it */
  public Cache(java.nio.file.Path directory) {
    this(CacheOptions.builder().directory(Given.notNull(directory, "directory").toString()).build());
  }

  /** Opens a cache; nothing is cached without one. Any number of caches, processes and languages may
   * have one folder at a time. With CUCORE_CACHE=off in the environment it does nothing: everything
   * is built.
   * @param options null for the defaults
   * @throws IoException the folder belongs to another user, or others can write to it
   * @throws InvalidArgumentException the message names the option that is wrong */
  public Cache(CacheOptions options) {
    this(create(options), true);
  }

  private static long create(CacheOptions options) {
    try (NativeCacheOptions fields = options == null ? null : options.toNative()) {
      return CucoreNativeJNI.new_Cache(NativeCacheOptions.getCPtr(fields), fields);
    }
  }

  /** Gives what {@link Program#compile(CodeType, String...)} would, and compiles only what has not
   * been compiled before: with the same source, options, headers, name expressions, compiler and
   * environment. Failures of the cache are never failures of this. Of any number of threads and
   * processes that ask for the same at once, one compiles.
   * @param program what to compile
   * @param target of CUDA C++ PTX, CUBIN or LTOIR; of PTX a CUBIN; of NVVM IR PTX or LTOIR
   * @param nameExpressions of CUDA C++: templates and overloads to instantiate
   * @return the object code, and where it came from
   * @throws CompilationException its log() has the compiler's whole output
   * @throws LinkingException the same for PTX, which a linker compiles */
  public CacheResult compile(Program program, CodeType target, String... nameExpressions) {
    int[] outcome = new int[1];
    ObjectCode code = compileNow(program, target, Given.noneNull(nameExpressions, "nameExpressions"), outcome);
    return new CacheResult(code, CacheOutcome.of(outcome[0]));
  }

  /** Returns the object code that {@link #compile} would return without a compile, from memory or from
   * disk. Compiles nothing, requests nothing from remotes and counts no miss.
   * @param program what would be compiled
   * @param target of CUDA C++ PTX, CUBIN or LTOIR; of PTX a CUBIN; of NVVM IR PTX or LTOIR
   * @param nameExpressions of CUDA C++: templates and overloads to instantiate
   * @return the object code, and where it came from; null if it is not there */
  public CacheResult find(Program program, CodeType target, String... nameExpressions) {
    int[] outcome = new int[1];
    ObjectCode code = findNow(program, target, Given.noneNull(nameExpressions, "nameExpressions"), outcome);
    return code == null ? null : new CacheResult(code, CacheOutcome.of(outcome[0]));
  }

  /** Gives what {@link Linker#link(CodeType)} would, and links only what has not been linked before.
   * A linker belongs to one thread at a time.
   * @param linker the inputs and options
   * @param target CUBIN; PTX of inputs that are LTOIR
   * @return the object code, and where it came from
   * @throws LinkingException its log() has the linker's output */
  public CacheResult link(Linker linker, CodeType target) {
    int[] outcome = new int[1];
    ObjectCode code = linkNow(linker, target, outcome);
    return new CacheResult(code, CacheOutcome.of(outcome[0]));
  }

  /** Finds object code under a key of your own, or builds it: once, however many threads and
   * processes ask for it; the others wait. Where build fails, each of them builds for itself.
   * @param <E> the checked exception that build throws
   * @param key 32 bytes that say all it depends on
   * @param build called where there is none, on this thread; must not ask for the same key
   * @return the object code, and where it came from; if it was built now, the object that build gave
   * @throws E what build threw: the same exception
   * @throws InvalidArgumentException the key has another length */
  public <E extends Exception> CacheResult getOrBuild(byte[] key, CacheBuild<E> build) throws E {
    CacheBuilding building = new CacheBuilding(build);
    int[] outcome = new int[1];
    ObjectCode code = getOrBuildNow(key, building, outcome); // what build throws goes through this
    return building.given(code, CacheOutcome.of(outcome[0]));
  }

  /** What this cache has done since it was opened, and what its folder holds.
   * @return the figures of this moment */
  public CacheStatistics getStatistics() {
    return new CacheStatistics(statisticsNow());
  }

  /** The same of all caches that have ever had this folder, as far as they could say so before their
   * end.
   * @return the figures of this moment */
  public CacheStatistics getStatisticsOfAll() {
    return new CacheStatistics(statisticsOfAllNow());
  }

  /** The entries of the folder.
   * @return one record a file, unmodifiable */
  public java.util.List<CacheEntry> getEntries() {
    return CacheEntry.list(entriesNow());
  }

  /** Reads every file and removes what is damaged.
   * @return every file, unmodifiable; what is not {@link CacheEntry#isSound()} was damaged */
  public java.util.List<CacheEntry> verify() {
    return CacheEntry.list(verifyNow());
  }

  /** Removes what was used least recently until no more is left than that.
   * @param maxBytes how much may stay; 0 removes all
   * @return what was removed, unmodifiable */
  public java.util.List<CacheEntry> trim(long maxBytes) {
    return CacheEntry.list(trimNow(Given.notNegative(maxBytes, "maxBytes")));
  }

  /** Says why {@link #compile} would have to compile.
   * @param program what to compile
   * @param target what to make of it
   * @param nameExpressions templates and overloads to instantiate
   * @return several lines, of which the first begins with "hit", "miss" or "bypassed" */
  public String explainMiss(Program program, CodeType target, String... nameExpressions) {
    return explainNow(program, target, Given.noneNull(nameExpressions, "nameExpressions"));
  }

  /** Adds a remote: asked where memory and disk have nothing, told of what was built, on a thread of
   * the library. Only entries with a valid signature by one of the cache's keys are taken from it.
   * @param url file:///shared/folder, http://host/path, https://, or
   *     redis://:password@host:port/database
   * @throws LibraryMissingException the plug-in is not there; the message lists every path tried
   * @throws InvalidArgumentException the URL names no such place; the message says why */
  public void addRemote(String url) {
    addRemote(url, null);
  }

  /** Adds a remote, as {@link #addRemote(String)}.
   * @param url file:///shared/folder, http://host/path, https://, or
   *     redis://:password@host:port/database
   * @param options null for the defaults
   * @throws LibraryMissingException the plug-in is not there; the message lists every path tried
   * @throws InvalidArgumentException the URL names no such place; the message says why */
  public void addRemote(String url, RemoteOptions options) {
    RemoteOptions how = options == null ? RemoteOptions.DEFAULTS : options;
    addRemoteNow(Given.notNull(url, "url"), how.readOnly, how.connectTimeoutMillis, how.timeoutMillis);
  }

  @Override public String toString() {
    return Said.of("Cache", this::isClosed, () -> getDirectory().isEmpty() ? "in memory" : getDirectory());
  }
%} }

%extend Queue { %proxycode %{
  private static final int MOST_AT_ONCE = 1 << 16;

  /** Waits until a completion is there, and takes as many as are, oldest first.
   * @param timeout 0 never waits, a negative number has no end
   * @param unit of the timeout
   * @param most how many are taken at most
   * @return the completions, unmodifiable; none if the time is over
   * @throws InvalidStateException the queue was ended and is empty, or the process is exiting */
  public java.util.List<Completion> waitFor(long timeout, java.util.concurrent.TimeUnit unit, int most) {
    open();
    int places = Math.min(Given.notNegative(most, "most"), MOST_AT_ONCE);
    byte[] bytes = new byte[places * Completion.SIZE];
    return Completion.list(bytes, (int) waitFor(Given.notNull(unit, "unit").toNanos(timeout), bytes));
  }

  /** How much the queue holds, and what asking for it costs.
   * @return the figures of this moment */
  public QueueInfo getInfo() {
    return new QueueInfo(this);
  }

  @Override public String toString() {
    return Said.of("CudaQueue", this::isClosed, () -> "(" + getInfo() + ")");
  }
%} }

%extend Future { %proxycode %{
  /** Waits until the work is complete, in any number of threads at once. Takes nothing out of the
   * queue.
   * @param timeout 0 never waits, a negative number has no end
   * @param unit of the timeout
   * @throws NotReadyException the time is over
   * @throws KernelFaultException a kernel broke the context */
  public void waitFor(long timeout, java.util.concurrent.TimeUnit unit) {
    waitFor(Given.notNull(unit, "unit").toNanos(timeout));
  }

  @Override public String toString() {
    return Said.of("CudaFuture", this::isClosed, () -> Long.toUnsignedString(getToken()) + " (" + state() + ")");
  }

  private String state() {
    try {
      return query() ? "complete" : "pending";
    } catch (KernelFaultException e) {
      return "failed";
    }
  }
%} }

%extend Stream { %proxycode %{
  /** The end of all the work that is in the stream now. No thread is parked for it. Cancelling the
   * result only stops the waiting: the work goes on.
   * @return completes with null, or with the exception of what went wrong, in the default executor
   *     of CompletableFuture
   * @throws InvalidStateException the stream is being captured */
  public java.util.concurrent.CompletableFuture<Void> completion() {
    return Completions.of(this, Completions.DEFAULT);
  }

  /** The end of all the work that is in the stream now, as {@link #completion()}.
   * @param executor what depends on the result and is not async runs there
   * @return completes with null, or with the exception of what went wrong
   * @throws InvalidStateException the stream is being captured */
  public java.util.concurrent.CompletableFuture<Void> completion(java.util.concurrent.Executor executor) {
    return Completions.of(this, executor);
  }
%} }
