/* Compiles a file, with handlers of its own or without: compiling handlers|none FILE */
#define _POSIX_C_SOURCE 200809L
#include <cucore.h>
#include <signal.h>
#include <stdio.h>
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

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  if (strcmp(argv[1], "handlers") == 0 && !set_handlers()) return 3;
  const size_t size = read_source(argv[2]);
  puts("compiling");
  fflush(stdout);
  if (compile(size) != 0) return 1;
  puts("compiled");
  return 0;
}
