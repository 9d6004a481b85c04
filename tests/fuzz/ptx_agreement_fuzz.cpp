// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of object code and the CPU device on the same text. Changes follow
// the grammar, so that most texts pass the first lines.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ptx_grammar.hpp"
#include "read_kernels.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  cucore::fuzz::PtxGrammar grammar(seed);
  const size_t choice = grammar.below(8);
  if (choice == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string text = choice == 1 ? grammar.module(1 + grammar.below(4))
                                 : std::string(reinterpret_cast<char*>(data), size);
  for (size_t i = grammar.below(3); i > 0; --i) text = grammar.mutate(std::move(text));
  text.resize(std::min(text.size(), max_size));
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cucore::fuzz;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto ours = read_image(cucore::image::CodeType::PTX, bytes);
  const auto on_cpu = read_on_cpu({reinterpret_cast<const char*>(data), size});
  if (!ours || !on_cpu || agree(*ours, *on_cpu)) return 0;
  std::fprintf(stderr, "two readers of one text see other kernels\n");
  std::abort();
}
