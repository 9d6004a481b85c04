/* SPDX-License-Identifier: Apache-2.0 */
/* The compiles of overheads.py in C, as calls of NVRTC alone and as calls of cucore.h. Each function returns the
   nanoseconds of one, or a negative number if a call failed. */
#define _POSIX_C_SOURCE 200809L

#include <cucore.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct compiler *Compiler; /* nvrtcProgram */
static int (*create)(Compiler *, const char *, const char *, int, const char *const *, const char *const *);
static int (*compile)(Compiler, int, const char *const *);
static int (*cubin_size)(Compiler, size_t *);
static int (*cubin)(Compiler, char *);
static int (*destroy)(Compiler *);

static const char *source, *arch;
static cucore_cache *cache;
static cucore_program *program;
static int sources;
static const char CHANGED[] = "sinf(x[i])"; /* in each new source */

static cucore_program *new_program(const char *text) {
  cucore_program_options options = CUCORE_PROGRAM_OPTIONS_INIT;
  cucore_program *made = NULL;
  options.arch = arch;
  cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, text, strlen(text), &options, &made, NULL);
  return made;
}

/* Returns 0 if all is well. The strings must stay where they are. */
EXPORT int compiles_open(const char *text, const char *of_arch, const char *folder) {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  cucore_cache_options options = CUCORE_CACHE_OPTIONS_INIT;
  void *library;
  source = text, arch = of_arch, options.directory = folder;
  if (!strstr(source, CHANGED)) return 1;
  if (cucore_library_query(CUCORE_LIBRARY_NVRTC, &info, NULL) != CUCORE_OK || !info.available) return 1;
  library = dlopen(info.path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 1;
  *(void **)&create = dlsym(library, "nvrtcCreateProgram");
  *(void **)&compile = dlsym(library, "nvrtcCompileProgram");
  *(void **)&cubin_size = dlsym(library, "nvrtcGetCUBINSize");
  *(void **)&cubin = dlsym(library, "nvrtcGetCUBIN");
  *(void **)&destroy = dlsym(library, "nvrtcDestroyProgram");
  if (!create || !compile || !cubin_size || !cubin || !destroy) return 1;
  program = new_program(source);
  return !program || cucore_cache_open(&options, &cache, NULL) != CUCORE_OK;
}

/* Writes a source that no compiler has seen: its kernel has a constant of its own, an odd number. Those of columns.py
   are even. NVRTC keeps results by what it compiles after parsing, so the constants differ as numbers of 24 bits. */
static void new_source(char *out, size_t size) {
  const char *const found = strstr(source, CHANGED);
  snprintf(out, size, "%.*ssinf(x[i] + %d.0f)%s", (int)(found - source), source, (int)getpid() % 1024 * 8192 + 2 * ++sources + 1,
           found + strlen(CHANGED));
}

static int compile_bare(const char *text) {
  char option[32];
  const char *const options[] = {option};
  Compiler made = NULL;
  size_t size = 0;
  char *image = NULL;
  int bad;
  snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
  bad = create(&made, text, "k.cu", 0, NULL, NULL) || compile(made, 1, options) || cubin_size(made, &size);
  image = bad ? NULL : malloc(size);
  bad |= !image || cubin(made, image) || destroy(&made);
  free(image);
  return bad;
}

static int compile_c(const char *text) {
  cucore_program *made = new_program(text);
  cucore_objectcode *code = NULL;
  const int bad = !made || cucore_program_compile(made, CUCORE_CODE_TYPE_CUBIN, NULL, 0, &code, NULL) != CUCORE_OK;
  cucore_objectcode_release(code);
  cucore_program_release(made);
  return bad;
}

static int hit(const cucore_program *of) {
  cucore_objectcode *code = NULL;
  const int bad = cucore_cache_compile(cache, of, CUCORE_CODE_TYPE_CUBIN, NULL, 0, &code, NULL, NULL) != CUCORE_OK;
  cucore_objectcode_release(code);
  return bad;
}

static int hit_with_a_new_program(void) {
  cucore_program *made = new_program(source);
  const int bad = !made || hit(made);
  cucore_program_release(made);
  return bad;
}

#define COMPILE_ROW(name, call)                           \
  EXPORT double name(int count) {                         \
    char text[4096];                                      \
    int bad = 0;                                          \
    double began;                                         \
    new_source(text, sizeof text);                        \
    began = now();                                        \
    for (int i = 0; i < count; ++i) bad |= call;          \
    return bad ? -1 : (now() - began) / count;            \
  }

/* The rows of a new source have a count of one. */
COMPILE_ROW(bare_compile_new, compile_bare(text))
COMPILE_ROW(c_compile_new, compile_c(text))
COMPILE_ROW(bare_compile_again, compile_bare(source))
COMPILE_ROW(c_compile_again, compile_c(source))

EXPORT int c_hit_same_once(void) { return hit(program); }
EXPORT int c_hit_new_once(void) { return hit_with_a_new_program(); }
COMPILE_ROW(c_hit_same, hit(program))
COMPILE_ROW(c_hit_new, hit_with_a_new_program())
