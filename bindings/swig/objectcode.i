// Section "Object code" of cucore.h.
%quick(ObjectCode::type)
%quick(ObjectCode::name)
%quick(ObjectCode::arch)
%quick(ObjectCode::log)
%quick(ObjectCode::is_loaded)
%quick(ObjectCode::symbol_count)
%newobject ObjectCode::create;
%newobject ObjectCode::from_file;
%newobject ObjectCode::deserialize;
%newobject ObjectCode::kernel;
%{
static cucore_symbol_info symbol_info(ObjectCode *code, size_t index) {
  cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
  ok(cucore_objectcode_symbol_at, code, index, &info);
  return info;
}
static cucore_objectcode_options objectcode_options(const char *name, const char *arch,
                                                    const char *const *names, size_t name_count,
                                                    const char *const *lowered_names,
                                                    size_t lowered_name_count) {
  if (name_count != lowered_name_count)
    throw Failure(CUCORE_ERROR_INVALID_ARGUMENT,
                  "object code was not made: there must be as many expressions as lowered names");
  cucore_objectcode_options options = CUCORE_OBJECTCODE_OPTIONS_INIT;
  options.name = name;
  options.arch = arch;
  options.expressions = names;
  options.lowered_names = lowered_names;
  options.expression_count = name_count;
  return options;
}
%}

/** Compiled code that can be stored. */
struct ObjectCode {
  %extend {
    ~ObjectCode() { cucore_objectcode_release($self); }

    //: cucore_objectcode_create raw
    static ObjectCode *create(cucore_code_type type, const void *data, size_t size, const char *name,
                              const char *arch, const char *const *names, size_t name_count,
                              const char *const *lowered_names, size_t lowered_name_count) {
      const cucore_objectcode_options options =
          objectcode_options(name, arch, names, name_count, lowered_names, lowered_name_count);
      return made<ObjectCode *>(cucore_objectcode_create, type, data, size, &options);
    }
    //: cucore_objectcode_from_file raw
    static ObjectCode *from_file(cucore_code_type type, const char *path, const char *name,
                                 const char *arch, const char *const *names, size_t name_count,
                                 const char *const *lowered_names, size_t lowered_name_count) {
      const cucore_objectcode_options options =
          objectcode_options(name, arch, names, name_count, lowered_names, lowered_name_count);
      return made<ObjectCode *>(cucore_objectcode_from_file, type, path, &options);
    }
    //: cucore_objectcode_deserialize raw
    static ObjectCode *deserialize(const void *data, size_t size, uint64_t max_code_size) {
      cucore_deserialize_options options = CUCORE_DESERIALIZE_OPTIONS_INIT;
      options.max_code_size = max_code_size;
      return made<ObjectCode *>(cucore_objectcode_deserialize, data, size, &options);
    }
    //: cucore_objectcode_serialize raw
    size_t serialize(cucore_toggle compression, void *data, size_t size) {
      cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
      options.compression = compression;
      return made<size_t>(cucore_objectcode_serialize, held($self), &options, data, size);
    }
    //: cucore_objectcode_data raw
    Bytes data() {
      Bytes bytes{nullptr, 0};
      bytes.data = cucore_objectcode_data($self, &bytes.size);
      if (!bytes.data) ok(cucore_objectcode_serialize, $self, nullptr, nullptr, 0, &bytes.size);
      return bytes;
    }
    //: cucore_objectcode_load
    void load(Device *device) { ok(cucore_objectcode_load, held($self), held(device)); }
    //: cucore_objectcode_find_kernel
    Kernel *kernel(const char *name) {
      return made<Kernel *>(cucore_objectcode_find_kernel, held($self), name);
    }
    //: cucore_objectcode_find_global pair
    Pair find_global(const char *name, Device *device) {
      uint64_t address = 0;
      size_t size = 0;
      ok(cucore_objectcode_find_global, held($self), name, held(device), &address, &size);
      return {static_cast<int64_t>(address), static_cast<int64_t>(size)};
    }

    //: cucore_objectcode_symbol_at raw
    const char *symbol_expression(size_t index) { return symbol_info($self, index).expression; }
    //: cucore_objectcode_symbol_at raw
    const char *symbol_lowered_name(size_t index) { return symbol_info($self, index).lowered_name; }
    //: cucore_objectcode_symbol_at raw
    cucore_symbol_kind symbol_kind(size_t index) { return symbol_info($self, index).kind; }
    //: cucore_objectcode_symbol_at raw
    int64_t symbol_parameter_count(size_t index) {
      return static_cast<int64_t>(symbol_info($self, index).parameter_count);
    }
    //: cucore_objectcode_symbol_at raw
    size_t symbol_size(size_t index) { return symbol_info($self, index).size; }
    //: cucore_objectcode_symbol_parameter_at raw
    Pair symbol_parameter(size_t symbol, size_t index) {
      return pair_of<size_t>(cucore_objectcode_symbol_parameter_at, $self, symbol, index);
    }

    %immutable;
    //: cucore_objectcode_type
    cucore_code_type type;
    //: cucore_objectcode_name
    const char *name;
    //: cucore_objectcode_arch
    const char *arch;
    //: cucore_objectcode_log
    const char *log;
    //: cucore_objectcode_is_loaded
    bool is_loaded;
    //: cucore_objectcode_symbol_count
    size_t symbol_count;
    //: cucore_objectcode_native
    uint64_t native;
    %mutable;
  }
};
%{
static cucore_code_type ObjectCode_type_get(ObjectCode *code) { return cucore_objectcode_type(code); }
static const char *ObjectCode_name_get(ObjectCode *code) { return cucore_objectcode_name(code); }
static const char *ObjectCode_arch_get(ObjectCode *code) { return cucore_objectcode_arch(code); }
static const char *ObjectCode_log_get(ObjectCode *code) { return cucore_objectcode_log(code); }
static bool ObjectCode_is_loaded_get(ObjectCode *code) { return cucore_objectcode_is_loaded(code) != 0; }
static size_t ObjectCode_symbol_count_get(ObjectCode *code) { return cucore_objectcode_symbol_count(code); }
static uint64_t ObjectCode_native_get(ObjectCode *code) { return reinterpret_cast<uint64_t>(cucore_objectcode_native(held(code))); }
%}
