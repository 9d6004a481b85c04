// SPDX-License-Identifier: Apache-2.0
// The target of a compile or link: options, choice of the kind, and writing the file.
#include "target.hpp"

#include <fmt/format.h>

#include "files.hpp"
#include "image.hpp"

namespace cucore::cli {

std::optional<CodeType> target_of(std::string_view word) {
  if (word == "ptx") return CodeType::ptx;
  if (word == "cubin") return CodeType::cubin;
  if (word == "ltoir") return CodeType::ltoir;
  return std::nullopt;
}

void Output::add_to(CLI::App& command, const std::set<std::string>& targets) {
  std::string words;
  for (const std::string& word : targets) words += (words.empty() ? "" : ", ") + word;
  command
      .add_option("-o,--output", file,
                  "file to write; ending in .cuco: a container, which keeps the names; else the "
                  "raw image; - is the standard output")
      ->required()
      ->type_name("FILE");
  command.add_option("-t,--target", target, words + "; default: by the output's suffix")
      ->check(CLI::IsMember(targets))
      ->type_name("KIND");
  command.add_flag("-z,--compress", compress, "compress the container");
  command.add_flag("-q,--quiet", quiet, "print nothing on success");
}

bool wants_container(const Output& output) {
  return output.target == "cuco" || file_suffix(output.file) == ".cuco";
}

std::optional<CodeType> said_target(const Output& output) {
  if (!output.target.empty() && output.target != "cuco") return target_of(output.target);
  const std::string suffix = file_suffix(output.file);
  return suffix.empty() ? std::nullopt : target_of(suffix.substr(1));
}

std::string shown_output(const Output& output) {
  return output.file == "-" ? "the standard output" : output.file;
}

void write_code(const Output& output, const ObjectCode& code, const Json& more) {
  const bool container = wants_container(output);
  const std::string stored = container ? serialize(code, output.compress) : std::string();
  const std::string_view bytes = container ? stored : image_bytes(code);
  write_file(output.file, bytes);
  report_log(code);
  Json done{{"file", output.file}, {"file_size", bytes.size()}, {"container", container}};
  done.update(describe_code(code));
  done.update(more);
  done["diagnostics"] = describe_diagnostics(code);
  done["log"] = code.log();
  print_done(summary(output.file, code, bytes.size(), container), done,
             output.quiet || output.file == "-");
}

}  // namespace cucore::cli
