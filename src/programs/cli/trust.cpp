// SPDX-License-Identifier: Apache-2.0
// The options that say which signature a container must have: of verify, run, link and bundle.
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
      "fail unless rightly signed by one of the keys; the default where a key is given");
  command
      .add_flag("--allow-unsigned", allow_unsigned,
                "also take what is not signed, or by another key; a wrong signature of a given "
                "key fails all the same")
      ->excludes(required);
}

Trust TrustFlags::read() const {
  if (require && keys.empty())
    throw usage(fmt::format("--require{} needs {}key or {}secret to hold the signature against",
                            keys.prefix == "--" ? "" : "-signature", keys.prefix, keys.prefix));
  Trust trust;
  trust.required = !allow_unsigned && !keys.empty();
  trust.keys = keys.read(KeyUse::VERIFY);
  return trust;
}

}  // namespace cucore::cli
