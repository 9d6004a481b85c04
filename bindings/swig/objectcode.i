// SPDX-License-Identifier: Apache-2.0
// Section "Object code" of cucore.h. Its symbols may be found by linking: that can wait.
%{
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

/** Keys that sign or verify. */
struct Keys {
  %extend {
    Keys() { return new Keys; }
    ~Keys() { delete $self; }
    /** Adds a key. */
    void add(cucore_key_algorithm algorithm, const void *data, size_t size) { $self->add(algorithm, data, size); }
  }
};

/** Images that become a bundle. */
struct Images {
  %extend {
    Images() { return new Images; }
    ~Images() { delete $self; }
    /** Adds an image. */
    void add(ObjectCode *image) { $self->add(image); }
    //: cucore_objectcode_bundle
    ObjectCode *bundle() { return $self->bundle(); }
  }
};

%extend ObjectCode {
  //: cucore_objectcode_create
  static ObjectCode *create(cucore_code_type type, const void *data, size_t size, const char *name,
                            const char *arch, const char *const *names, size_t name_count,
                            const char *const *lowered_names, size_t lowered_name_count) {
    const cucore_objectcode_options options =
        objectcode_options(name, arch, names, name_count, lowered_names, lowered_name_count);
    return made<ObjectCode *>(cucore_objectcode_create, type, data, size, &options);
  }
  //: cucore_objectcode_from_file
  static ObjectCode *from_file(cucore_code_type type, const char *path, const char *name,
                               const char *arch, const char *const *names, size_t name_count,
                               const char *const *lowered_names, size_t lowered_name_count) {
    const cucore_objectcode_options options =
        objectcode_options(name, arch, names, name_count, lowered_names, lowered_name_count);
    return made<ObjectCode *>(cucore_objectcode_from_file, type, path, &options);
  }
  //: cucore_objectcode_deserialize
  static ObjectCode *deserialize(const void *data, size_t size, uint64_t max_code_size,
                                 cucore_signature_policy policy, Keys *keys_or_null) {
    cucore_deserialize_options options = CUCORE_DESERIALIZE_OPTIONS_INIT;
    options.max_code_size = max_code_size;
    options.signature_policy = policy;
    options.keys = keys_or_null ? keys_or_null->data() : nullptr;
    options.key_count = keys_or_null ? keys_or_null->size() : 0;
    return made<ObjectCode *>(cucore_objectcode_deserialize, data, size, &options);
  }
  //: cucore_objectcode_serialize
  size_t serialize(cucore_toggle compression, Keys *key_or_null, void *data, size_t size) {
    cucore_serialize_options options = CUCORE_SERIALIZE_OPTIONS_INIT;
    options.compression = compression;
    options.signing_key = key_or_null && key_or_null->size() ? key_or_null->data() : nullptr;
    return made<size_t>(cucore_objectcode_serialize, held($self), &options, data, size);
  }
  //: cucore_objectcode_data
  Bytes data() {
    Bytes bytes{nullptr, 0};
    bytes.data = cucore_objectcode_data($self, &bytes.size);
    if (bytes.data) return bytes;
    // The bytes of a bundle are made here. The call with an error reports why that has failed.
    ok(cucore_objectcode_serialize, $self, nullptr, nullptr, 0, &bytes.size);
    bytes.data = cucore_objectcode_data($self, &bytes.size);
    if (!bytes.data) throw std::bad_alloc();
    return bytes;
  }
#if !defined(SWIGPYTHON)
  //: cucore_objectcode_retain
  ObjectCode *share() { return cucore_objectcode_retain($self); }
#endif
}
