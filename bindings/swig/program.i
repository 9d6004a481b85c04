// Section "Program" of cucore.h. The options are filled by field name: the names, kinds and comments
// of the fields come from the header itself, so that a new field reaches every language.
%quick(Program::backend)
%newobject Program::compile;

/** How to compile, field by field. */
struct ProgramOptions {
  %extend {
    ProgramOptions() { return new ProgramOptions; }
    ~ProgramOptions() { delete $self; }
    /** Sets a field that is a text. */
    void set_text(const char *name, const char *value) { $self->fields().set_text(name, value); }
    /** Sets a field that is a choice or a number. */
    void set_number(const char *name, int64_t value) { $self->fields().set_number(name, value); }
    /** Adds to a field that is a list of texts. */
    void add_text(const char *name, const char *value) { $self->fields().add_text(name, value); }
    /** Adds to a field that is a list of numbers. */
    void add_number(const char *name, int64_t value) { $self->fields().add_number(name, value); }
    /** Adds to a field that is a list of bytes. */
    void add_bytes(const char *name, const void *data, size_t size) { $self->fields().add_bytes(name, data, size); }
  }
};

/** Source and the options to compile it. */
struct Program {
  %extend {
    //: cucore_program_create
    Program(cucore_source_type type, const void *data, size_t size, ProgramOptions *options) {
      return made<Program *>(cucore_program_create, type, static_cast<const char *>(data), size,
                             options ? options->get() : nullptr);
    }
    ~Program() { cucore_program_release($self); }

    //: cucore_program_compile
    ObjectCode *compile(cucore_code_type target, const char *const *names, size_t name_count) {
      return made<ObjectCode *>(cucore_program_compile, held($self), target, names, name_count);
    }

    %immutable;
    //: cucore_program_backend
    cucore_backend backend;
    %mutable;
  }
};
%{
static cucore_backend Program_backend_get(Program *program) { return static_cast<cucore_backend>(cucore_program_backend(program)); }
%}
