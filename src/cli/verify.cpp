// cucore verify: whether a container is whole, and who signed it.
#include <cucore.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "command.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "image.hpp"
#include "report.hpp"

namespace cucore::cli {
namespace {

struct VerifyRequest {
  std::string file;
  bool allow_unsigned = false;
  bool require = false;
  bool quiet = false;
  KeyFlags keys;
};

/// A key that is named is there to be held against: without a word a signature by it is required.
bool is_required(const VerifyRequest& request) {
  if (request.require && request.keys.files.empty())
    throw usage("--require needs a --key to hold the signature against");
  return !request.allow_unsigned && !request.keys.files.empty();
}

void verify(const VerifyRequest& request) {
  Trust trust;
  trust.required = is_required(request);
  trust.keys = request.keys.read(KeyUse::kVerify);
  const std::string bytes = read_file(request.file);
  const ObjectCode code = open_image(bytes, request.file, trust);
  const std::int32_t state = cucore_objectcode_signature(code.get());
  const std::string id = cucore_objectcode_signature_key(code.get());
  Json done{{"file", request.file},
            {"file_size", bytes.size()},
            {"container", is_container(bytes)},
            {"signature", signature_name(state)},
            {"signature_key", id}};
  done.update(describe_code(code.get()));
  print_done(
      fmt::format("{}: whole; signed: {}", request.file, signature_text(signature_name(state), id)),
      done, request.quiet);
}

}  // namespace

void add_verify(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("verify", "Checks that a container is whole and rightly signed.");
  auto request = std::make_shared<VerifyRequest>();
  command->add_option("file", request->file, ".cuco; - is the standard input")
      ->required()
      ->type_name("FILE");
  request->keys.add_to(*command, KeyUse::kVerify);
  auto* require = command->add_flag("--require", request->require,
                                    "fail unless rightly signed by one of the keys; the default "
                                    "where a key is given");
  command
      ->add_flag("--allow-unsigned", request->allow_unsigned,
                 "also take what is not signed, or by another key; a wrong signature of a given "
                 "key fails all the same")
      ->excludes(require);
  command->add_flag("-q,--quiet", request->quiet, "print nothing on success");
  command->footer(
      "Example:\n"
      "  cucore verify saxpy.cuco --key public.pem && cucore run saxpy.cuco ...\n"
      "Exit codes: 0 whole, and signed as asked for; 1 damaged or not to be read; 3 the signature\n"
      "is missing, wrong or of another key. Without a key only damage is found out: whoever\n"
      "changes a file on purpose makes its digests fit.");
  command->callback([request] { verify(*request); });
}

}  // namespace cucore::cli
