/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the installed library by its soname and uses it without a header. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *library;

/* ISO C has no conversion from void * to a function; POSIX allows to copy the bytes. */
static void find(void *function, const char *name) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
}

int main(int argc, char **argv) {
  uint32_t (*version)(void);
  int (*deserialize)(const void *, size_t, const void *, void **, void **);
  const char *(*message)(const void *);
  void (*release)(void *);
  void *code = &code, *error = NULL;
  if (argc != 2 || (library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) == NULL) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "which library?");
    return 1;
  }
  find(&version, "cucore_version");
  find(&deserialize, "cucore_objectcode_deserialize");
  find(&message, "cucore_error_message");
  find(&release, "cucore_error_release");
  if (!version || !deserialize || !message || !release) return 1;
  if (deserialize("garbage", 7, NULL, &code, &error) != 303 || code != NULL || error == NULL)
    return 1;
  printf("version %u; garbage is refused: %s\n", (unsigned)version(), message(error));
  release(error);
  return message(NULL)[0] != '\0';
}
