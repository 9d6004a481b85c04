// SPDX-License-Identifier: Apache-2.0
// Numbers and names as reports show them.
#pragma once

#include <string>
#include <string_view>

namespace cucore::perf {

// Returns the text without control characters, which must not reach a terminal.
std::string visible(std::string text);

// Returns a number of digits after the decimal point, in every locale.
std::string digits_text(double value, int digits);
// Returns at most a number of significant digits, with an exponent where that is shorter.
std::string short_text(double value, int digits);

// Returns four digits and a prefix of the unit: "102.3 us".
std::string scaled_text(double value, const char* unit);
inline std::string seconds_text(double seconds) { return scaled_text(seconds, "s"); }

std::string csv_text(std::string_view text);
std::string csv_number(double value);  // "" if the number is unknown

// Returns a text in double quotes for gnuplot, without characters that it would interpret.
std::string plot_text(std::string text);

// Returns the name of a kernel as in its source, without parameters: "saxpy<float>".
std::string kernel_title(const std::string& name);

}  // namespace cucore::perf
