// SPDX-License-Identifier: Apache-2.0
// cucore verify: checks the integrity and the signature of a container.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "command.hpp"
#include "files.hpp"
#include "image.hpp"
#include "report.hpp"
#include "trust.hpp"

namespace cucore::cli {
namespace {

struct VerifyRequest {
  std::string file;
  bool quiet = false;
  TrustFlags trust;
};

void verify(const VerifyRequest& request) {
  const Trust trust = request.trust.read();
  const std::string bytes = read_file(request.file);
  const ObjectCode code = open_image(bytes, request.file, trust);
  const Json signature = describe_signature(code, bytes);
  Json done{
      {"file", request.file}, {"file_size", bytes.size()}, {"container", is_container(bytes)}};
  done.update(signature);
  done.update(describe_code(code));
  print_done(fmt::format("{}: undamaged; signature: {}", request.file, signature_text(signature)),
             done, request.quiet);
}

}  // namespace

void add_verify(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("verify", "Checks the integrity and the signature of a container.");
  auto request = std::make_shared<VerifyRequest>();
  command->add_option("file", request->file, ".cuco; - is the standard input")
      ->required()
      ->type_name("FILE");
  request->trust.add_to(*command);
  command->add_flag("-q,--quiet", request->quiet, "print nothing on success");
  command->footer(
      "Example:\n"
      "  cucore verify saxpy.cuco --key public.pem\n"
      "run, link and bundle check in the same way with --verify-key public.pem.\n"
      "Exit codes: 0 whole, and signed as required; 1 damaged or unreadable; 3 the signature is "
      "missing, wrong or of another key.\n"
      "Without a key only damage is detected: an attacker can "
      "also change the digests of a file.");
  command->callback([request] { verify(*request); });
}

}  // namespace cucore::cli
