// SPDX-License-Identifier: Apache-2.0
// Uses the control table of the CPU device, whose functions docs/cpu_device.md describes.
#include "kernel_checks.hpp"

#include <fmt/format.h>

#include <cstring>
#include <cucore/library.hpp>
#include <sstream>

#include "failure.hpp"
#include "files.hpp"
#include "print.hpp"

namespace cucore::cli {
namespace {

// The functions that are used here, by their position after the size of the table.
enum ControlEntry : std::size_t {
  SET_CHECKS = 7,
  SET_SCHEDULE = 8,
  CHECK_JSON = 10,
  CLEAR_CHECKS = 12
};
constexpr std::size_t LEAST_SIZE = sizeof(std::size_t) + (CLEAR_CHECKS + 1) * sizeof(void*);
constexpr char TABLE_ID[] = "cucore-cpu-ctl-1";

template <class Function>
Function entry(const void* table, ControlEntry index) {
  Function function = nullptr;
  std::memcpy(&function,
              static_cast<const char*>(table) + sizeof(std::size_t) + index * sizeof(void*),
              sizeof function);
  return function;
}

const void* find_table() {
  using GetTable = int (*)(const void**, const void*);
  const auto get = reinterpret_cast<GetTable>(library_symbol(Library::driver, "cuGetExportTable"));
  const void* table = nullptr;
  std::size_t size = 0;
  if (get(&table, TABLE_ID) == 0 && table) std::memcpy(&size, table, sizeof size);
  if (size < LEAST_SIZE)
    throw failed(
        "the driver in use has no checks; --check and --schedule need the CPU device of "
        "this version: --driver cpu",
        Status::unsupported);
  return table;
}

void call(const void* table, ControlEntry index, const std::string& text, const char* option,
          const char* expected) {
  const int result = index == SET_CHECKS
                         ? entry<int (*)(const char*, int)>(table, index)(text.c_str(), 0)
                         : entry<int (*)(const char*)>(table, index)(text.c_str());
  if (result != 0) throw usage(fmt::format("{} is '{}'; expected {}", option, text, expected));
}

std::string text_of(const Json& report, const char* key) {
  return report.contains(key) ? report[key].get<std::string>() : std::string();
}

// Returns "saxpy.cu:12", or "ptx:34" without a source line; `prefix` is "other_" for the other
// access of a race.
std::string place_of(const Json& report, const std::string& prefix) {
  if (report.contains(prefix + "line"))
    return fmt::format("{}:{}", text_of(report, (prefix + "file").c_str()),
                       report[prefix + "line"].get<unsigned>());
  return fmt::format("ptx:{}", report.value(prefix + "ptx_line", 0));
}

}  // namespace

void CheckFlags::add_to(CLI::App& command) {
  command
      .add_flag("--check{all}", checks,
                "check the kernel on the CPU device: all, or a list of memory, init, race, "
                "barrier and host; reports are exit code 4")
      ->type_name("[=LIST]");
  command.add_option("--check-json", json_file, "write the reports of --check to a file")
      ->type_name("FILE");
  command
      .add_option("--suppress", suppressions,
                  "drop reports of --check that match a line 'KIND KERNEL FILE:LINE' of the file; "
                  "* and ? match any text; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--schedule", schedule,
                  "order of the warps on the CPU device: parallel, sequential or random:SEED")
      ->type_name("ORDER");
}

void CheckFlags::add_files_to(FileUse& use) const {
  for (const std::string& file : suppressions) use.inputs.push_back(file);
  if (!json_file.empty()) use.outputs.push_back(json_file);
}

// A '*' retries from the next character until the rest matches.
bool matches(const std::string& pattern, const std::string& text) {
  std::size_t p = 0, t = 0, star = std::string::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Suppressions::Suppressions(const std::vector<std::string>& files) {
  for (const std::string& file : files) read(file);
}

void Suppressions::read(const std::string& file) {
  std::istringstream lines(read_file(file));
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    Rule rule{"", "*", "*"};
    std::string rest;
    if (!(words >> rule.kind)) continue;
    words >> rule.kernel >> rule.place >> rest;
    if (!rest.empty())
      throw failed(fmt::format("{}:{} has more than three words; expected KIND KERNEL FILE:LINE",
                               file, number));
    if (rule.kernel.empty()) rule.kernel = "*";
    if (rule.place.empty()) rule.place = "*";
    rules_.push_back(rule);
  }
}

bool Suppressions::match(const Json& report) const {
  std::string kernel = text_of(report, "kernel");
  if (const std::size_t quote = kernel.find('\''); quote != std::string::npos)
    kernel = kernel.substr(quote + 1, kernel.rfind('\'') - quote - 1);
  for (const Rule& rule : rules_)
    if (matches(rule.kind, text_of(report, "kind")) && matches(rule.kernel, kernel) &&
        (matches(rule.place, place_of(report, "")) ||
         matches(rule.place, place_of(report, "other_"))))
      return true;
  return false;
}

CheckedRun::CheckedRun(const CheckFlags& flags) : flags_(flags), suppressions_(flags.suppressions) {
  if (!flags.need_device()) return;
  table_ = find_table();
  if (flags.enabled())
    call(table_, SET_CHECKS, flags.checks, "--check",
         "all or a list of memory, init, race, barrier and host");
  if (!flags.schedule.empty())
    call(table_, SET_SCHEDULE, flags.schedule, "--schedule", "parallel, sequential or random:SEED");
}

Json CheckedRun::reports() const {
  Json kept = Json::array();
  if (!flags_.enabled()) return kept;
  const auto get = entry<int (*)(char*, std::size_t, std::size_t*)>(table_, CHECK_JSON);
  std::size_t length = 0;
  get(nullptr, 0, &length);
  std::string text(length + 1, '\0');
  get(text.data(), text.size(), nullptr);
  text.resize(length);
  const Json all = Json::parse(text);
  for (const Json& report : all["reports"])
    if (!suppressions_.match(report)) kept.push_back(report);
  if (!flags_.json_file.empty())
    write_file(flags_.json_file,
               Json{{"reports", kept}, {"dropped", all["dropped"]}}.dump(2) + "\n");
  return kept;
}

void require_no_reports(const Json& reports) {
  if (reports.empty()) return;
  for (const Json& report : reports) print_error("{}\n", text_of(report, "text"));
  throw Failure(CHECKS, Status::kernel_fault,
                fmt::format("the checks made {} {}", reports.size(),
                            reports.size() == 1 ? "report" : "reports"))
      .with({{"reports", reports}});
}

}  // namespace cucore::cli
