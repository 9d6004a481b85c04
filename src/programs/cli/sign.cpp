// SPDX-License-Identifier: Apache-2.0
// cucore sign: signs a container, or makes a signed container from a raw image.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "command.hpp"
#include "distinct.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "image.hpp"
#include "report.hpp"
#include "sections.hpp"

namespace cucore::cli {
namespace {

struct SignRequest {
  std::string file;
  std::string output;
  bool quiet = false;
  KeyFlags keys;
};

Key read_key(const SignRequest& request) {
  if (request.keys.inputs().size() != 1)
    throw usage("sign requires one key; expected --key for Ed25519, or --secret for HMAC-SHA256");
  return request.keys.read(KeyUse::SIGN).front();
}

std::string choose_output(const SignRequest& request, std::string_view bytes) {
  if (!request.output.empty()) return request.output;
  if (is_container(bytes)) return request.file;
  throw usage(
      fmt::format("{} is not a container; name the signed container with -o", request.file));
}

void sign(const SignRequest& request) {
  const Key key = read_key(request);
  const std::string bytes = read_file(request.file);
  const ObjectCode code = open_image(bytes, request.file);
  const std::string output = choose_output(request, bytes);
  FileUse use{request.keys.inputs(), {output}};
  // A container is replaced in place; a raw image would be lost.
  if (!is_container(bytes)) use.inputs.push_back(request.file);
  require_distinct(use);
  const bool compressed = is_container(bytes) && is_compressed(bytes);
  const std::string container = serialize(code, compressed, &key);
  write_file(output, container);
  // The result names the key that verifies. For Ed25519 that is the public key, which is not
  // available here.
  const ObjectCode again = open_image(container, output);
  const std::string_view id = again.signature_key();
  Json done{{"file", output},
            {"file_size", container.size()},
            {"algorithm", algorithm_name(key.algorithm)},
            {"signature_key", id}};
  done.update(describe_code(code));
  print_done(fmt::format("{}: signed with {}, key {}", output, algorithm_name(key.algorithm), id),
             done, request.quiet || output == "-");
}

}  // namespace

void add_sign(CLI::App& app) {
  CLI::App* command = app.add_subcommand("sign", "Signs a container.");
  auto request = std::make_shared<SignRequest>();
  command->add_option("file", request->file, ".cuco, or a raw image; - is the standard input")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", request->output,
                   "file to write; default: the container itself, replaced in one step")
      ->type_name("FILE");
  command->add_flag("-q,--quiet", request->quiet, "print nothing on success");
  request->keys.add_to(*command, KeyUse::SIGN);
  command->footer(
      "Example:\n"
      "  openssl genpkey -algorithm ed25519 -out private.pem\n"
      "  openssl pkey -in private.pem -pubout -out public.pem\n"
      "  cucore sign saxpy.cuco --key private.pem\n"
      "  cucore verify saxpy.cuco --key public.pem\n"
      "With a shared secret instead:\n"
      "  openssl rand -hex 32 > secret && cucore sign saxpy.cuco --secret secret\n"
      "An existing signature is replaced.");
  command->callback([request] { sign(*request); });
}

}  // namespace cucore::cli
