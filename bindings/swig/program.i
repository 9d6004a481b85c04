// Section "Program" of cucore.h.
%quick(Program::backend)
%newobject Program::compile;

%options(ProgramOptions, How to compile field by field.)

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
