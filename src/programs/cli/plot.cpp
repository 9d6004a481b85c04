// SPDX-License-Identifier: Apache-2.0
#include "plot.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "failure.hpp"
#include "files.hpp"
#include "print.hpp"

namespace cucore::cli {
namespace {

// Returns false if gnuplot is missing or fails.
bool run_gnuplot(std::string script) {
  std::string name = "gnuplot";
  const std::array<char*, 3> words{name.data(), script.data(), nullptr};
  pid_t child = 0;
  int state = 0;
  if (posix_spawnp(&child, "gnuplot", nullptr, nullptr, words.data(), environ) != 0) return false;
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

}  // namespace

std::string script_of_plot(const std::string& plot) { return plot + ".gp"; }

void require_plot_name(const std::string& plot) {
  if (!plot.empty() && !plot.ends_with(".svg"))
    throw usage(fmt::format("--plot {}: the name of a plot must end in .svg", plot));
}

void write_plot(const std::string& script, const std::string& plot) {
  std::string quoted;
  for (const char c : plot) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  write_file(script_of_plot(plot),
             fmt::format("set terminal svg\nset output '{}'\n{}", quoted, script));
  if (!run_gnuplot(script_of_plot(plot)))
    print_error("{} is not drawn, because gnuplot is missing or failed; its script is {}\n", plot,
                script_of_plot(plot));
}

}  // namespace cucore::cli
