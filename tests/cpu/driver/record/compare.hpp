// SPDX-License-Identifier: Apache-2.0
// The recorded lines, and their comparison with those of this run.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cucore::cpu::record {

using Lines = std::vector<std::pair<std::string, std::string>>;  // name and text of each row

void write_lines(const Lines& lines, const std::string& note, const std::string& path);

Lines read_lines(const std::string& path);  // sorted by name

// Returns 0 if each line is the recorded one or as the table of differences states, 77 without a
// record. A row that the record lacks is counted only. `whole`: rows that the record alone contains
// are failures.
int compare(const Lines& lines, const std::string& record, const std::string& differences,
            bool whole);

}  // namespace cucore::cpu::record
