// SPDX-License-Identifier: Apache-2.0
// The options for the required signature of a container: verify, run, link and bundle.
#include "trust.hpp"

#include <fmt/format.h>

#include "failure.hpp"

namespace cucore::cli {

void TrustFlags::add_to(CLI::App& command, const std::string& before) {
  keys.add_to(command, KeyUse::VERIFY, before);
  const std::string names =
      before.empty() ? "--require,--require-signature" : "--require-signature";
  auto* required = command.add_flag(
      names, require,
      "fail without a valid signature by one of the keys; the default if a key is given");
  command
      .add_flag("--allow-unsigned", allow_unsigned,
                "accept files that are unsigned or signed by another key; a wrong signature of a "
                "given key still fails")
      ->excludes(required);
}

Trust TrustFlags::read() const {
  if (require && keys.empty())
    throw usage(fmt::format("--require{} needs {}key or {}secret to check the signature against",
                            keys.prefix == "--" ? "" : "-signature", keys.prefix, keys.prefix));
  Trust trust;
  trust.required = !allow_unsigned && !keys.empty();
  trust.keys = keys.read(KeyUse::VERIFY);
  return trust;
}

}  // namespace cucore::cli
