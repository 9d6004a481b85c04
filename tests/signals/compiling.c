/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a file with its own signal handlers, without them, or in a thread that exit()
 * interrupts: compiling handlers|none|exit FILE */
#define _POSIX_C_SOURCE 200809L
#include <cucore.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char source[4 << 20];

static void handle(int number) {
  (void)number;
  (void)!write(STDOUT_FILENO, "handled\n", 8);
}

static int set_handlers(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  return sigaction(SIGINT, &action, NULL) == 0 && sigaction(SIGTERM, &action, NULL) == 0;
}

static size_t read_source(const char *path) {
  FILE *file = fopen(path, "r");
  size_t size = 0;
  if (file) {
    size = fread(source, 1, sizeof source, file);
    fclose(file);
  }
  return size;
}

static int compile(size_t size) {
  cucore_error *error = NULL;
  cucore_program *program = NULL;
  cucore_objectcode *code = NULL;
  if (cucore_program_create(CUCORE_SOURCE_TYPE_CUDA_CPP, source, size, NULL, &program, &error) == CUCORE_OK)
    cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, &error);
  if (error) fprintf(stderr, "%s\n", cucore_error_message(error));
  cucore_objectcode_release(code);
  cucore_program_release(program);
  return error != NULL;
}

static void *compile_in_thread(void *size) {
  if (compile(*(const size_t *)size) != 0) exit(1);
  puts("compiled");
  exit(0);
}

/* Waits for a signal while another thread compiles, and exits. */
static void exit_during_compile(size_t size) {
  sigset_t signals;
  pthread_t thread;
  int number = 0;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  puts("compiling");
  fflush(stdout);
  if (pthread_create(&thread, NULL, compile_in_thread, &size) != 0) exit(4);
  sigwait(&signals, &number);
  handle(number);
  exit(5);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  if (strcmp(argv[1], "handlers") == 0 && !set_handlers()) return 3;
  const size_t size = read_source(argv[2]);
  if (strcmp(argv[1], "exit") == 0) {
    /* The compiler is opened before. An exit meanwhile would destroy its incomplete objects. */
    const cucore_source_type type = CUCORE_SOURCE_TYPE_CUDA_CPP;
    static const char EMPTY[] = "__global__ void k() {}";
    cucore_program *program = NULL;
    cucore_objectcode *code = NULL;
    if (cucore_program_create(type, EMPTY, sizeof EMPTY - 1, NULL, &program, NULL) != CUCORE_OK ||
        cucore_program_compile(program, CUCORE_CODE_TYPE_PTX, NULL, 0, &code, NULL) != CUCORE_OK)
      return 1;
    exit_during_compile(size);
  }
  puts("compiling");
  fflush(stdout);
  if (compile(size) != 0) return 1;
  puts("compiled");
  return 0;
}
