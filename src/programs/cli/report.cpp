// SPDX-License-Identifier: Apache-2.0
// The report of success or failure: text, or one JSON object.
#include "report.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "image.hpp"
#include "option_names.hpp"
#include "print.hpp"
#include "sections.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

bool json_wanted = false;
bool verbose_wanted = false;

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
    case Severity::fatal:
      return "fatal";
    default:
      return "unknown";
  }
}

const char* signature_name(SignatureState state) {
  switch (state) {
    case SignatureState::unsigned_:
      return "unsigned";
    case SignatureState::unknown_key:
      return "unknown key";
    case SignatureState::valid:
      return "valid";
    default:
      return "unknown";
  }
}

// Returns the status and the code of the driver or compiler; "" if the command itself failed.
std::string detail(const Failure& failure) {
  if (failure.is_own()) return {};
  const std::string status = status_name(failure.status());
  if (failure.native_name().empty()) return status;
  return fmt::format("{}; {}: {} ({})", status, failure.origin(), failure.native_name(),
                     failure.native_code());
}

// Returns whether the failure was written; a full disk may prevent it.
bool prints_json(const Failure& failure) {
  try {
    print_json(describe_failure(failure));
    flush_output();
    return true;
  } catch (const Failure&) {
    return false;
  }
}

}  // namespace

bool wants_json() { return json_wanted; }

void set_json(bool json) { json_wanted = json; }

bool wants_verbose() { return verbose_wanted; }

void set_verbose(bool verbose) { verbose_wanted = verbose; }

void print_json(const Json& object) {
  // Characters beyond ASCII can also control a terminal.
  print("{}\n", Raw{object.dump(2, ' ', true, Json::error_handler_t::replace)});
}

void print_done(const std::string& text, const Json& object, bool quiet) {
  if (quiet) return;
  if (wants_json())
    print_json(object);
  else
    print("{}\n", text);
}

Json describe_failure(const Failure& failure) {
  Json all{{"status", status_name(failure.status())},
           {"code", static_cast<int>(failure.status())},
           {"exit_code", static_cast<int>(failure.exit_code())},
           {"message", with_option_names(failure.what())},
           {"origin", failure.origin()},
           {"native_code", failure.native_code()},
           {"native_name", failure.native_name()},
           {"log", failure.log()},
           {"diagnostics", describe_diagnostics(failure.diagnostics())}};
  all.update(failure.details());
  return all;
}

void report_failure(const Failure& failure) {
  if (wants_json() && prints_json(failure)) return;
  print_failure(with_option_names(failure.what()), detail(failure), std::string(failure.log()),
                failure.diagnostics());
}

void report_log(const ObjectCode& code) {
  if (wants_json()) return;
  print_log(std::string(code.log()), code.diagnostics());
}

Json describe_code(const ObjectCode& code) {
  return {{"kind", type_name(code.type())},
          {"name", code.name()},
          {"arch", code.arch()},
          {"code_size", image_bytes(code).size()}};
}

Json describe_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  Json all = Json::array();
  for (const Diagnostic& one : diagnostics)
    all.push_back({{"severity", severity_name(one.severity)},
                   {"file", one.file},
                   {"line", one.line},
                   {"column", one.column},
                   {"text", one.text}});
  return all;
}

Json describe_diagnostics(const ObjectCode& code) {
  return describe_diagnostics(code.diagnostics());
}

Json describe_signature(const ObjectCode& code, std::string_view file) {
  return {{"signature", signature_name(code.signature())},
          {"signature_key", code.signature_key()},
          {"signature_algorithm", is_container(file) ? signature_algorithm(file) : ""}};
}

std::string signature_text(const Json& signature) {
  const std::string name = signature["signature"];
  if (name == signature_name(SignatureState::unsigned_)) return "none";
  const std::string key =
      fmt::format("{} key {}", signature["signature_algorithm"].get<std::string>(),
                  signature["signature_key"].get<std::string>());
  if (name == signature_name(SignatureState::valid)) return "valid, by " + key;
  return fmt::format("not checked, by {}, which was not given", key);
}

// Raw LTO-IR does not record its architecture.
std::string image_title(const Json& image) {
  const std::string arch = image["arch"];
  return image["kind"].get<std::string>() + (arch.empty() ? "" : " for " + arch);
}

std::string summary(const std::string& path, const ObjectCode& code, std::size_t size,
                    bool container) {
  return fmt::format("{}: {}, {} bytes{}", path, image_title(describe_code(code)), size,
                     container ? ", in a container" : "");
}

}  // namespace cucore::cli
