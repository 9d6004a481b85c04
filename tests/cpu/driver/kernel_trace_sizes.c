// SPDX-License-Identifier: Apache-2.0
// The headers of the control table are also C.
#include "cpu/driver/control.hpp"

size_t size_of_trace_row_in_c(void);
size_t size_of_control_in_c(void);

size_t size_of_trace_row_in_c(void) { return sizeof(struct cucore_cpu_trace_row); }
size_t size_of_control_in_c(void) { return sizeof(struct cucore_cpu_control); }
