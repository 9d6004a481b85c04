// SPDX-License-Identifier: Apache-2.0
// cucore cache explain: the reason that a compile would miss, as text and as fields.
#include <string>
#include <vector>

#include "cache_actions.hpp"
#include "distinct.hpp"
#include "print.hpp"
#include "report.hpp"
#include "symbols.hpp"
#include "target.hpp"

namespace cucore::cli {
namespace {

std::string explanation(const CacheRequest& request, const Cache& cache) {
  const Program program = load_program(request.file, request.flags);
  const CodeType target =
      target_of(request.target).value_or(default_target(request.file, request.flags));
  return cache.explain_miss(program, target, request.flags.names);
}

// Returns "miss: reason", lines of details, and "key 0123...".
Json describe(const std::string& file, const std::string& text) {
  Json all{{"file", file}, {"outcome", ""}, {"reason", ""}, {"key", ""}};
  Json details = Json::array();
  for (const Json& one : lines_of(text)) {
    const std::string line = one;
    const std::size_t colon = line.find(": ");
    if (all["outcome"] == "" && colon != line.npos) {
      all["outcome"] = line.substr(0, colon);
      all["reason"] = line.substr(colon + 2);
    } else if (line.starts_with("key ")) {
      all["key"] = line.substr(4);
    } else if (!line.empty()) {
      details.push_back(line);
    }
  }
  all["details"] = details;
  return all;
}

}  // namespace

void explain_miss(const CacheRequest& request) {
  FileUse use = request.flags.files();
  use.inputs.push_back(request.file);
  require_distinct(use);
  const Cache cache = open_to_read(request);
  const std::string text = explanation(request, cache);
  if (wants_json())
    print_json(describe(request.file, text));
  else
    print("{}", Text{text});
}

}  // namespace cucore::cli
