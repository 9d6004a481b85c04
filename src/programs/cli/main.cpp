// SPDX-License-Identifier: Apache-2.0
// The command cucore: parses the command line, runs one subcommand, reports the result.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cucore/library.hpp>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "failure.hpp"
#include "formatter.hpp"
#include "help.hpp"
#include "memory_reserve.hpp"
#include "print.hpp"
#include "profiled_program.hpp"
#include "report.hpp"
#include "terminal.hpp"
#include "usage_error.hpp"

namespace cucore::cli {
namespace {

constexpr const char* FOOTER =
    "Exit codes: 0 done; 1 the operation failed; 2 the command line is wrong; 3 a signature is "
    "missing or wrong.\n"
    "With --json the result, or the failure, is one JSON object on the standard output.\n"
    "'cucore SUBCOMMAND --help' shows the options of a subcommand and an example.\n";

constexpr std::array SUBCOMMANDS{add_info,    add_compile, add_link,   add_bundle, add_inspect,
                                 add_analyze, add_sign,    add_verify, add_run,    add_bench,
                                 add_profile, add_roof,    add_cache};

// Runs before the command line is parsed, because errors of the command line are also reported as
// JSON.
bool asks_for_json(int argc, char** argv) {
  char** const end = std::find(argv, argv + argc, std::string_view("--"));
  return std::find(argv, end, std::string_view("--json")) != end;
}

void print_library_log(LogLevel level, std::string_view message) {
  if (level >= LogLevel::warning) return print_warning(std::string(message));
  print_error("cucore: {}\n", message);
}

void listen(bool verbose) {
  log_set_callback(print_library_log, verbose ? LogLevel::debug : LogLevel::warning);
}

// A wrong command line is one line on stderr.
int report(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    print_help(app, error);
    flush_output();
    return DONE;
  }
  report_failure(usage(explain(app, error)));
  if (!wants_json()) print_error("  {}\n", help_hint(app));
  return USAGE;
}

// "cucore" and "cucore help" are "cucore --help"; "cucore help link" is "cucore link --help".
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> given(argv + std::min(argc, 1), argv + argc);
  const bool wants_help = !given.empty() && given.front() == "help";
  if (wants_help) given.erase(given.begin());
  if (wants_help || given.empty()) given.emplace_back("--help");
  std::ranges::reverse(given);  // as CLI11 takes a vector
  return given;
}

int run(int argc, char** argv) {
  CLI::App app{"Compiles, links, inspects and runs CUDA code through libcucore.", "cucore"};
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", fmt::format("cucore {}", version_string()),
                       "print the version");
  app.require_subcommand(1);
  app.formatter(std::make_shared<Formatter>());
  app.fallthrough();  // --driver and --verbose may also follow the subcommand
  app.footer(FOOTER);
  std::string driver;
  bool verbose = false;
  app.add_option("--driver", driver, "nvidia, cpu, auto (default) or the path of a driver library")
      ->type_name("NAME");
  app.add_flag("-v,--verbose", verbose,
               "show which libraries are tried and chosen; whole keys and digests in results");
  bool json = false;
  app.add_flag("--json", json, "print the result, or the failure, as one JSON object");
  app.parse_complete_callback([&] {
    set_verbose(verbose);
    listen(verbose);
    if (!driver.empty()) driver_select(driver);
  });
  for (const auto add : SUBCOMMANDS) add(app);
  try {
    app.parse(arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    return report(app, error);
  } catch (const ProgramEnded& program) {
    flush_output();
    if (program.signal != 0) std::raise(program.signal);
    return program.exit_code;
  }
  flush_output();
  return DONE;
}

int fail(const Failure& failure) {
  report_failure(failure);
  return failure.exit_code();
}

}  // namespace
}  // namespace cucore::cli

int main(int argc, char** argv) {
  using namespace cucore::cli;
  prepare_streams();
  prepare_memory();
  set_json(asks_for_json(argc, argv));
  try {
    return run(argc, argv);
  } catch (const Failure& failure) {
    return fail(failure);
  } catch (const cucore::Error& error) {
    return fail(Failure(error));
  } catch (const std::bad_alloc&) {
    return fail(failed("not enough memory for the request", cucore::Status::out_of_memory));
  } catch (const std::exception& error) {
    return fail(failed(error.what(), cucore::Status::internal));
  }
}
