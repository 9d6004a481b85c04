// SPDX-License-Identifier: Apache-2.0
// Threads that run steps of graphs while the threads of the streams run others. They end after some
// time without work.
#pragma once

#include <functional>

namespace cucore::cpu {

void run_on_graph_thread(std::function<void()> work);  // must not throw

}  // namespace cucore::cpu
