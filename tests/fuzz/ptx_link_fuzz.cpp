// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any texts are either refused with a reason or become one text that the parser
// accepts. A line with "~" separates the texts; texts after "~~" are members of a library.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../cpu/tools/promises.hpp"
#include "ptx/linker.hpp"
#include "ptx/parser.hpp"

namespace {

using namespace cucore::ptx;

[[noreturn]] void broken(const char* what, const std::string& text) {
  std::fprintf(stderr, "broken promise: %s\n%s\n", what, text.c_str());
  std::abort();
}

void require_reason(const LinkResult& result) {
  if ((result.status == LinkStatus::OK) != result.log.empty()) broken("no reason", result.log);
}

bool is_vprintf(std::string_view name) { return name == "vprintf"; }

// Returns the linked text, or "" after a failure.
std::string link_all(std::string_view inputs) {
  Linker linker(is_vprintf);
  for (int i = 0; !inputs.empty() && i < 16; ++i) {
    const size_t end = inputs.find("\n~");
    const std::string_view text = inputs.substr(0, end);
    const std::string name = "input " + std::to_string(i);
    require_reason(text.starts_with("~") ? linker.add_member(name, text.substr(1))
                                         : linker.add(name, text));
    inputs.remove_prefix(end == std::string_view::npos ? inputs.size() : end + 2);
  }
  std::string out;
  const LinkResult result = linker.complete(out);
  require_reason(result);
  return result.status == LinkStatus::OK ? out : std::string();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view inputs(reinterpret_cast<const char*>(data), size);
  const std::string linked = link_all(inputs);
  if (linked.empty()) return 0;
  Diagnostics log;
  const auto module = parse(linked, log);
  if (!module) broken("the linked text is refused", linked);
  const std::string promise = test::broken_promise(*module);
  if (!promise.empty()) broken(promise.c_str(), linked);
  if (link_all(inputs) != linked) broken("a second link differs", linked);
  return 0;
}
