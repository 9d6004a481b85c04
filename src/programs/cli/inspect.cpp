// SPDX-License-Identifier: Apache-2.0
// cucore inspect: the content of a container or a raw image.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.hpp"
#include "files.hpp"
#include "image.hpp"
#include "print.hpp"
#include "report.hpp"
#include "sections.hpp"
#include "support/counted.hpp"
#include "symbols.hpp"

namespace cucore::cli {
namespace {

struct InspectRequest {
  std::string file;
  KeyFlags keys;
};

Json describe_images(const ObjectCode& code) {
  Json images = Json::array();
  for (std::size_t i = 0; i < code.image_count(); ++i) {
    const ObjectCode image = code.image_at(i);
    Json one = describe_code(image);
    one["metadata"] = describe_metadata(image);
    one["symbols"] = describe_symbols(image);
    images.push_back(one);
  }
  return images;
}

void add_contents(Json& all, const ObjectCode& code) {
  switch (code.type()) {
    case CodeType::bundle:
      all["images"] = describe_images(code);
      break;
    case CodeType::fatbin:
      all["entries"] = describe_entries(code);
      break;
    case CodeType::library:
      all["members"] = describe_members(image_bytes(code));
      break;
    default:
      break;
  }
}

Json describe(const InspectRequest& request) {
  Trust trust;
  trust.keys = request.keys.read(KeyUse::VERIFY);
  const std::string bytes = read_file(request.file);
  const ObjectCode code = open_image(bytes, request.file, trust);
  Json all{{"file", request.file}, {"file_size", bytes.size()}, {"container", is_container(bytes)}};
  all.update(describe_code(code));
  all.update(describe_signature(code, bytes));
  if (is_container(bytes)) all["sections"] = describe_sections(bytes);
  all["metadata"] = describe_metadata(code);
  add_contents(all, code);
  all["symbols"] = describe_symbols(code);
  all["diagnostics"] = describe_diagnostics(code);
  all["log"] = code.log();
  return all;
}

std::string shown_name(const Json& symbol) {
  const std::string name = symbol["name"];
  const std::string expression = symbol["expression"];
  return expression.empty() || expression == name ? name
                                                  : fmt::format("{}  [{}]", expression, name);
}

void print_resources(const Json& resources) {
  if (resources.is_null()) return;
  using Figures = std::vector<std::pair<const char*, const char*>>;
  const Figures of_kernel{{"registers", "registers"},
                          {"static_shared", "bytes shared"},
                          {"stack", "bytes stack"},
                          {"max_threads", "threads at most"},
                          {"code_size", "bytes of code"}};
  const Figures of_spills{{"spill_stores", "bytes spill stores"},
                          {"spill_loads", "bytes spill loads"}};
  for (const Figures& figures : {of_kernel, of_spills}) {
    std::string line;
    for (const auto& [key, unit] : figures)
      if (!resources[key].is_null())
        line +=
            fmt::format("{}{} {}", line.empty() ? "" : ", ", resources[key].get<int64_t>(), unit);
    if (!line.empty()) print("    {}\n", line);
  }
}

void print_parameters(const Json& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    print("    {:>3}: {} at offset {}, {}\n", i,
          counted(parameters[i]["size"].get<std::size_t>(), "byte"),
          parameters[i]["offset"].get<std::size_t>(), parameters[i]["class"].get<std::string>());
}

void print_symbol(const Json& symbol) {
  print("  {:<9} {}", symbol["kind"].get<std::string>(), shown_name(symbol));
  if (!symbol.contains("parameters")) {
    print(", {}\n", counted(symbol["size"].get<std::size_t>(), "byte"));
    return;
  }
  const Json& parameters = symbol["parameters"];
  if (parameters.is_null()) {
    print(", parameters unknown\n");
  } else {
    print(", {}\n", counted(parameters.size(), "parameter"));
    print_parameters(parameters);
  }
  print_resources(symbol["resources"]);
}

// Prints the kernels before the other symbols.
void print_symbols(const Json& symbols) {
  for (const bool kernels : {true, false})
    for (const Json& symbol : symbols)
      if ((symbol["kind"] == "kernel") == kernels) print_symbol(symbol);
}

// Whether an option is a digest that the library derived from the source.
bool is_derived_seed(std::string_view option) {
  constexpr std::string_view NAME = "--frandom-seed=";
  return option.starts_with(NAME) && option.size() == NAME.size() + 64;
}

void print_metadata(const Json& metadata) {
  if (metadata.empty()) return;
  print("made\n");
  for (const auto& [key, value] : metadata.items()) {
    if (key.ends_with("_sha256") && !wants_verbose()) continue;
    if (!value.is_array()) {
      print("  {:<14} {}\n", key, value.get<std::string>());
      continue;
    }
    print("  {}\n", key);
    for (const Json& item : value) {
      const auto text = item.get<std::string>();
      if (wants_verbose() || !is_derived_seed(text)) print("    {}\n", text);
    }
  }
}

void print_sections(const Json& sections) {
  print("sections {}\n", sections.size());
  for (const Json& section : sections) {
    const std::size_t stored = section["stored_size"];
    const std::size_t raw = section["raw_size"];
    print("  {:<8} {:>9} bytes at {}{}{}\n", section["type"].get<std::string>(), stored,
          section["offset"].get<std::size_t>(),
          raw == stored ? "" : fmt::format(", {} bytes uncompressed", raw),
          section["type"] == "SIG" || !wants_verbose()
              ? ""
              : ", sha256 " + section["sha256"].get<std::string>());
  }
}

void print_images(const Json& images) {
  print("images   {}\n", images.size());
  for (const Json& image : images) {
    print("image    {}, {} bytes, {}\n", image_title(image), image["code_size"].get<std::size_t>(),
          counted(image["symbols"].size(), "symbol"));
    print_symbols(image["symbols"]);
    print_metadata(image["metadata"]);
  }
}

void print_entries(const Json& entries) {
  print("entries  {}\n", entries.size());
  for (const Json& entry : entries) {
    const std::string compression = entry["compression"];
    print("  {}, {} bytes{}\n", image_title(entry), entry["code_size"].get<std::size_t>(),
          compression == "none"
              ? ""
              : fmt::format(", {} as {}", entry["stored_size"].get<std::size_t>(), compression));
  }
}

void print_members(const Json& members) {
  print("members  {}\n", members.size());
  for (const Json& member : members)
    print("  {}, {}, {}\n", member["name"].get<std::string>(), member["kind"].get<std::string>(),
          counted(member["size"].get<std::size_t>(), "byte"));
}

// Indents the lines, so that none can be taken for a line of the command.
void print_log_lines(const std::string& log) {
  print("log\n");
  for (const Json& line : lines_of(log)) print("  {}\n", line.get<std::string>());
}

void print_image(const Json& all) {
  const auto text = [&](const char* key) { return all[key].get<std::string>(); };
  const bool container = all["container"];
  print("file     {}, {} bytes, {}\n", text("file"), all["file_size"].get<std::size_t>(),
        container ? "a .cuco container" : "a raw image");
  print("kind     {}, {} bytes\n", text("kind"), all["code_size"].get<std::size_t>());
  if (!text("arch").empty()) print("arch     {}\n", text("arch"));
  if (!text("name").empty()) print("name     {}\n", text("name"));
  if (container) print("signed   {}\n", signature_text(all));
  // The symbols of a bundle are shown with its images.
  if (all.contains("images")) {
    print_images(all["images"]);
  } else {
    print("symbols  {}\n", all["symbols"].size());
    print_symbols(all["symbols"]);
  }
  if (all.contains("entries")) print_entries(all["entries"]);
  if (all.contains("members")) print_members(all["members"]);
  print_metadata(all["metadata"]);
  if (all.contains("sections")) print_sections(all["sections"]);
  if (!text("log").empty()) print_log_lines(text("log"));
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("inspect", "Shows the content of a container or a raw image.");
  auto request = std::make_shared<InspectRequest>();
  command
      ->add_option("file", request->file,
                   ".cuco or a raw image of any kind; - is the standard "
                   "input")
      ->required()
      ->type_name("FILE");
  request->keys.add_to(*command, KeyUse::VERIFY);
  command->footer(
      "Example:\n  cucore inspect saxpy.cuco\n"
      "  cucore inspect saxpy.cubin --json | jq '.symbols[].name'\n"
      "All bytes of a container are checked, and its signature against the given keys. Neither a "
      "device nor CUDA is needed. --verbose also shows the digests.");
  command->callback([request] {
    const Json all = describe(*request);
    if (wants_json())
      print_json(all);
    else
      print_image(all);
  });
}

}  // namespace cucore::cli
