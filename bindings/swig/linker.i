// Section "Linker" of cucore.h.
%quick(Linker::backend)
%quick(Linker::log)
%newobject Linker::link;
%options(LinkerOptions, How to link field by field.)

/** Makes one image of several; it belongs to one thread at a time. */
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
static cucore_backend Linker_backend_get(Linker *linker) { return static_cast<cucore_backend>(cucore_linker_backend(linker)); }
static const char *Linker_log_get(Linker *linker) { return cucore_linker_log(linker); }
%}
