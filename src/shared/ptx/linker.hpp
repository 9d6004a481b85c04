// SPDX-License-Identifier: Apache-2.0
// Links PTX texts into one PTX text. The texts are untrusted: time and memory are proportional to
// their length.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace cucore::ptx {

enum class LinkStatus {
  OK,
  INVALID_PTX,
  UNSUPPORTED_VERSION,
  CONFLICT,   // two inputs disagree about a name
  UNDEFINED,  // no input defines a name that is used
  TOO_LARGE,
};

struct LinkResult {
  LinkStatus status = LinkStatus::OK;
  std::string log;  // lines in the words of nvlink and ptxas
};

// Returns true for a function that the device itself defines, such as vprintf.
using Provided = std::function<bool(std::string_view name)>;

class Linker {
 public:
  explicit Linker(Provided provided);
  ~Linker();
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  // Adds a text; `name` is for messages. A text that is refused leaves the link as it was.
  LinkResult add(std::string name, std::string_view text);
  // Adds a member of a library. It becomes part of the result only if it defines a name that
  // another text needs.
  LinkResult add_member(std::string name, std::string_view text);
  // Writes the linked text to `out`. One text that is linked alone does not change.
  LinkResult complete(std::string& out);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace cucore::ptx
