/* SPDX-License-Identifier: Apache-2.0 */
/* 08: compile once: threads, processes and languages share a cache. Needs no device. */
#include <cucore.h>
#include <stdio.h>

#define TRY(call) \
  if ((call) != CUCORE_OK) goto done

static const char source[] = "template <class T> __global__ void saxpy(T a, const T *x, T *y) { *y += a * *x; }\n";
static const char *outcomes[] = {"nothing", "from memory", "from disk", "from a remote", "another thread's",
                                 "built", "built, not stored", "built without a look"};

/* Called once for its key, for all threads and processes. */
static cucore_status compile_double(cucore_objectcode **out, cucore_error **error, void *program) {
  static const char *const names[] = {"saxpy<double>"};
  return cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, names, 1, out, error);
}

int main(void) {
  char why[4096];
  static const char *const names[] = {"saxpy<float>"}, *const others[] = {"saxpy<int>"};
  static const uint8_t key[32] = "my generator 1.0; n = 4"; /* in a program: a digest of all inputs of the result */
  cucore_error *error = NULL;
  cucore_cache *cache = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL, *again = NULL, *mine = NULL;
  cucore_cache_outcome first = CUCORE_CACHE_OUTCOME_NONE, second = first, own = first;
  cucore_cache_statistics_info statistics = CUCORE_CACHE_STATISTICS_INFO_INIT;
  cucore_cache_options options = {.struct_size = sizeof options, .directory = ""};
  cucore_program_options how = {.struct_size = sizeof how, .name = "saxpy.cu", .arch = "compute_80"};
  size_t size = 0;

  /* "": only in memory. Without options: in $CUCORE_CACHE_DIR, else in ~/.cache/cucore, for all processes. */
  TRY(cucore_cache_open(&options, &cache, &error));
  TRY(cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, sizeof source - 1, &how, &program, &error));
  TRY(cucore_cache_compile(cache, program, CUCORE_CODE_TYPE_PTX, names, 1, &code, &first, &error));
  TRY(cucore_cache_compile(cache, program, CUCORE_CODE_TYPE_PTX, names, 1, &again, &second, &error));
  TRY(cucore_cache_get_or_build(cache, key, compile_double, program, &mine, &own, &error));
  printf("first %s, then %s; under a key of one's own %s\n", outcomes[first], outcomes[second], outcomes[own]);
  TRY(cucore_cache_explain_miss(cache, program, CUCORE_CODE_TYPE_PTX, others, 1, why, sizeof why, &size, &error));
  printf("saxpy<int>: %s\n", why);
  TRY(cucore_cache_statistics(cache, &statistics, &error));
  printf("builds: %d, hits in memory: %d\n", (int)statistics.builds, (int)statistics.hits_memory);

done:
  if (error) fprintf(stderr, "%s\n%s", cucore_error_message(error), cucore_error_log(error));
  cucore_objectcode_release(mine);
  cucore_objectcode_release(again);
  cucore_objectcode_release(code);
  cucore_program_release(program);
  cucore_cache_release(cache);
  cucore_error_release(error);
  return second != CUCORE_CACHE_OUTCOME_HIT_MEMORY;
}
