// SPDX-License-Identifier: Apache-2.0
// Plots of reports, which gnuplot draws.
#pragma once

#include <string>

namespace cucore::cli {

// Returns the file of the script, which remains after the plot is drawn.
std::string script_of_plot(const std::string& plot);

// Throws a usage failure if the name is not "" and does not end as the format does.
void require_plot_name(const std::string& plot);

// Writes the script, and draws it if gnuplot is there.
void write_plot(const std::string& script, const std::string& plot);

}  // namespace cucore::cli
