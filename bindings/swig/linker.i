// Section "Linker" of cucore.h. Options are filled as those of a program are.
%quick(Linker::log)
%newobject Linker::link;

/** How to link, field by field. */
struct LinkerOptions {
  %extend {
    LinkerOptions() { return new LinkerOptions; }
    ~LinkerOptions() { delete $self; }
    /** Sets a field that is a text. */
    void set_text(const char *name, const char *value) { $self->fields().set_text(name, value); }
    /** Sets a field that is a choice or a number. */
    void set_number(const char *name, int64_t value) { $self->fields().set_number(name, value); }
    /** Adds to a field that is a list of texts. */
    void add_text(const char *name, const char *value) { $self->fields().add_text(name, value); }
  }
};

/** Makes one image of several. */
struct Linker {
  %extend {
    //: cucore_linker_create
    Linker(LinkerOptions *options) {
      return made<Linker *>(cucore_linker_create, options ? options->get() : nullptr);
    }
    ~Linker() { cucore_linker_release($self); }

    //: cucore_linker_add
    void add(ObjectCode *code) { ok(cucore_linker_add, held($self), held(code)); }
    //: cucore_linker_link
    ObjectCode *link(cucore_code_type target) {
      return made<ObjectCode *>(cucore_linker_link, held($self), target);
    }

    %immutable;
    //: cucore_linker_backend
    cucore_backend backend;
    //: cucore_linker_log
    const char *log;
    %mutable;
  }
};
%{
static cucore_backend Linker_backend_get(Linker *linker) { return static_cast<cucore_backend>(cucore_linker_backend(held(linker))); }
static const char *Linker_log_get(Linker *linker) { return cucore_linker_log(linker); }
%}
