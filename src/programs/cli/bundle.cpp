// SPDX-License-Identifier: Apache-2.0
// cucore bundle: several images of one program in one container.
#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "command.hpp"
#include "distinct.hpp"
#include "files.hpp"
#include "image.hpp"
#include "report.hpp"
#include "support/counted.hpp"
#include "terminal.hpp"
#include "trust.hpp"

namespace cucore::cli {
namespace {

struct BundleRequest {
  std::vector<std::string> files;
  std::string output;
  bool compress = false;
  bool quiet = false;
  TrustFlags trust;
};

// Returns "CUBIN for sm_90, PTX for compute_80".
std::string list_images(const Json& images) {
  std::string list;
  for (const Json& image : images)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", image_title(image));
  return list;
}

// An image that no device ever receives is probably a mistake.
void warn_of_doubles(const BundleRequest& request, const Json& images) {
  std::set<std::string> seen, told;
  for (const Json& image : images) {
    const std::string what = image_title(image);
    // Drivers may choose any PTX of the same target.
    if (image["kind"] == "PTX" || seen.insert(what).second || !told.insert(what).second) continue;
    print_warning(
        fmt::format("{} has more than one {}; every device uses the first", request.output, what));
  }
}

void bundle(const BundleRequest& request) {
  FileUse use{request.files, {request.output}};
  for (const std::string& key : request.trust.keys.inputs()) use.inputs.push_back(key);
  require_distinct(use);
  const Trust trust = request.trust.read();
  std::vector<ObjectCode> images;
  for (const std::string& file : request.files)
    images.push_back(open_image(read_file(file), file, trust));
  const ObjectCode code = ObjectCode::bundle(images);
  const std::string container = serialize(code, request.compress);
  write_file(request.output, container);
  Json done{{"file", request.output}, {"file_size", container.size()}};
  done.update(describe_code(code));
  done["images"] = Json::array();
  for (std::size_t i = 0; i < code.image_count(); ++i)
    done["images"].push_back(describe_code(code.image_at(i)));
  warn_of_doubles(request, done["images"]);
  print_done(
      fmt::format("{}: {}: {}; {} bytes", request.output, counted(done["images"].size(), "image"),
                  list_images(done["images"]), container.size()),
      done, request.quiet || request.output == "-");
}

}  // namespace

void add_bundle(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("bundle", "Puts images for several devices into one container.");
  auto request = std::make_shared<BundleRequest>();
  command
      ->add_option("files", request->files,
                   "two or more images of one program: .cuco, PTX, CUBIN or LTOIR")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", request->output, "container to write; - is the standard output")
      ->required()
      ->type_name("FILE");
  command->add_flag("-z,--compress", request->compress, "compress the container");
  command->add_flag("-q,--quiet", request->quiet, "print nothing on success");
  request->trust.add_to(*command, "verify-");
  command->footer(
      "Example:\n"
      "  cucore compile saxpy.cu -o 90.cuco --arch sm_90\n"
      "  cucore compile saxpy.cu -o rest.cuco --arch compute_75\n"
      "  cucore bundle 90.cuco rest.cuco -o saxpy.cuco\n"
      "Each device uses the first image that fits it, in this order: machine code of its own "
      "architecture, of its family, of its major version; LTOIR; PTX.");
  command->callback([request] { bundle(*request); });
}

}  // namespace cucore::cli
