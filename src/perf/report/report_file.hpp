// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cucore::perf {

// Replaces the file in one step. A failure changes and leaves nothing. Pipes
// and devices are written to. A link is refused, because another user could have made it.
// @throws Error IO
void write_report_file(const std::string& file, std::string_view text);

}  // namespace cucore::perf
