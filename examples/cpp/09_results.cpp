// SPDX-License-Identifier: Apache-2.0
// 09: without exceptions, each call returns a result with the value or the error.
#include <cucore.hpp>
#include <cstdio>

const char source[] = "extern \"C\" __global__ void f(int *p) { *p = 1; }";

// snippet: results
static cucore::Result<cucore::ObjectCode> compile(const char *text) {
  auto program = cucore::Program::create(text);
  if (!program) return program.error();
  return program->compile();
}
// end of snippet

int main() {
  const auto code = compile(source), broken = compile("oops");
  if (!code) {
    std::fprintf(stderr, "%s\n", code.error().message());
    return 1;
  }
  std::printf("%zu bytes of PTX; the other program: %s\n", code->data().size(), broken.error().message());
  return broken.status() != cucore::Status::compilation;
}
