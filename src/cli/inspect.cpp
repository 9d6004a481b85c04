// cucore inspect: what a file of object code holds, told without a device.
#include <cucore.h>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"
#include "files.hpp"
#include "image.hpp"

namespace cucore::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(cucore_symbol_kind kind) {
  switch (kind) {
    case CUCORE_SYMBOL_KERNEL:
      return "kernel";
    case CUCORE_SYMBOL_GLOBAL:
      return "global";
    case CUCORE_SYMBOL_CONSTANT:
      return "constant";
    case CUCORE_SYMBOL_MANAGED:
      return "managed";
    case CUCORE_SYMBOL_DEVICE_FUNCTION:
      return "device function";
    default:
      return "unknown";
  }
}

/// Null where the code does not say.
Json describe_parameters(const cucore_objectcode* code, std::size_t symbol, std::size_t count) {
  if (count == SIZE_MAX) return nullptr;
  Json parameters = Json::array();
  for (std::size_t index = 0; index < count; ++index) {
    std::size_t offset = 0;
    std::size_t size = 0;
    call(cucore_objectcode_symbol_parameter_at, code, symbol, index, &offset, &size);
    parameters.push_back({{"offset", offset}, {"size", size}});
  }
  return parameters;
}

Json describe_symbol(const cucore_objectcode* code, std::size_t index) {
  cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
  call(cucore_objectcode_symbol_at, code, index, &info);
  Json symbol{
      {"name", info.lowered_name}, {"expression", info.expression}, {"kind", kind_name(info.kind)}};
  if (info.kind == CUCORE_SYMBOL_KERNEL)
    symbol["parameters"] = describe_parameters(code, index, info.parameter_count);
  else
    symbol["size"] = info.size;
  return symbol;
}

Json describe(const std::string& path) {
  const std::string bytes = read_file(path);
  const ObjectCode code = open_image(bytes, path);
  Json all{{"file", path},
           {"file_size", bytes.size()},
           {"container", is_container(bytes)},
           {"kind", type_name(cucore_objectcode_type(code.get()))},
           {"name", cucore_objectcode_name(code.get())},
           {"arch", cucore_objectcode_arch(code.get())},
           {"code_size", image_bytes(code.get()).size()},
           {"symbols", Json::array()},
           {"log", cucore_objectcode_log(code.get())}};
  for (std::size_t i = 0; i < cucore_objectcode_symbol_count(code.get()); ++i)
    all["symbols"].push_back(describe_symbol(code.get(), i));
  return all;
}

std::string shown_name(const Json& symbol) {
  const auto name = symbol["name"].get<std::string>();
  const auto expression = symbol["expression"].get<std::string>();
  return expression.empty() || expression == name ? name
                                                  : fmt::format("{}  [{}]", expression, name);
}

void print_symbol(const Json& symbol) {
  fmt::print("  {:<9} {}", symbol["kind"].get<std::string>(), shown_name(symbol));
  if (!symbol.contains("parameters")) {
    fmt::print(", {} bytes\n", symbol["size"].get<std::size_t>());
    return;
  }
  const Json& parameters = symbol["parameters"];
  if (parameters.is_null()) {
    fmt::print(", parameters unknown\n");
    return;
  }
  fmt::print(", {} parameter{}\n", parameters.size(), parameters.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < parameters.size(); ++i)
    fmt::print("    {:>3}: {} bytes at offset {}\n", i, parameters[i]["size"].get<std::size_t>(),
               parameters[i]["offset"].get<std::size_t>());
}

void print_text(const Json& all) {
  const auto text = [&](const char* key) { return all[key].get<std::string>(); };
  fmt::print("file     {}, {} bytes{}\n", text("file"), all["file_size"].get<std::size_t>(),
             all["container"].get<bool>() ? ", a .cuco container" : "");
  fmt::print("kind     {}, {} bytes\n", text("kind"), all["code_size"].get<std::size_t>());
  if (!text("arch").empty()) fmt::print("arch     {}\n", text("arch"));
  if (!text("name").empty()) fmt::print("name     {}\n", text("name"));
  fmt::print("symbols  {}\n", all["symbols"].size());
  for (const Json& symbol : all["symbols"]) print_symbol(symbol);
  if (!text("log").empty()) fmt::print("log\n{}\n", text("log"));
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command = app.add_subcommand("inspect", "Shows what a container or a raw image holds.");
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("file", *file, ".cuco, PTX, CUBIN or FATBIN; - is the standard input")
      ->required()
      ->type_name("FILE");
  command->add_flag("--json", *json, "print JSON");
  command->footer(
      "Example:\n  cucore inspect saxpy.cuco\n"
      "  cucore inspect saxpy.ptx --json | jq '.symbols[].name'\n"
      "The kind is told by the bytes, not by the file's name. No device is needed.");
  command->callback([file, json] {
    const Json all = describe(*file);
    if (*json)
      fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
    else
      print_text(all);
  });
}

}  // namespace cucore::cli
