// The command cucore: parses the command line, runs one subcommand, reports how it went.
#include <cucore.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "command.hpp"
#include "failure.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 the operation failed; 2 the command line is wrong.\n"
    "'cucore SUBCOMMAND --help' shows the options of one and an example.\n";

void print_log(cucore_log_level level, const char* message, void*) {
  if (level >= CUCORE_LOG_WARNING) return print_warning(message);
  fmt::print(stderr, "cucore: {}\n", message);
}

void listen(bool verbose) {
  const cucore_log_level least = verbose ? CUCORE_LOG_DEBUG : CUCORE_LOG_WARNING;
  call(cucore_log_set_callback, print_log, least, nullptr, nullptr);
}

/// CLI11 tells of the missing subcommand first, where the one that was given is none.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> rest = app.remaining();
  if (!app.get_subcommands().empty() || rest.empty()) return error.what();
  return fmt::format("'{}' is no subcommand: info, compile, inspect, run, cache", rest.front());
}

/// Help and the version go to stdout; a wrong command line is one line on stderr.
int report(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  print_failure(explain(app, error), "", "");
  fmt::print(stderr, "  'cucore --help' shows what there is\n");
  return kUsage;
}

/// A full disk is found out when the last bytes are written.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    throw failed(fmt::format("cannot write the standard output: {}", std::strerror(errno)));
}

int run(int argc, char** argv) {
  CLI::App app{"Compiles, inspects and runs CUDA code through libcucore.", "cucore"};
  app.set_version_flag("--version", fmt::format("cucore {}", cucore_version_string()));
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.fallthrough();  // --driver and --verbose may also stand after the subcommand
  app.footer(kFooter);
  std::string driver;
  bool verbose = false;
  app.add_option("--driver", driver, "nvidia, cpu, auto (default) or the path of a driver library")
      ->type_name("NAME");
  app.add_flag("-v,--verbose", verbose, "say which libraries are tried and what is chosen");
  app.parse_complete_callback([&] {
    listen(verbose);
    if (!driver.empty()) call(cucore_driver_select, driver.c_str());
  });
  for (auto add : {add_info, add_compile, add_inspect, add_run, add_cache}) add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report(app, error);
  }
  flush_output();
  return kDone;
}

}  // namespace
}  // namespace cucore::cli

int main(int argc, char** argv) {
  using namespace cucore::cli;
  try {
    return run(argc, argv);
  } catch (const Failure& failure) {
    print_failure(failure.what(), failure.detail(), failure.log());
    return failure.exit_code();
  } catch (const std::exception& error) {
    print_failure(error.what(), "", "");
    return kFailed;
  }
}
