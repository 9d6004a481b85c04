// SPDX-License-Identifier: Apache-2.0
// The parts of the page of a report that do not depend on the report. embed.py writes them.
#pragma once

namespace cucore::perf {

extern const char* const PAGE_CSS;
extern const char* const PAGE_JS;

}  // namespace cucore::perf
