// SPDX-License-Identifier: Apache-2.0
#include "cache/statistics.hpp"

#include "cache/store.hpp"

namespace cucore::cache {

void Statistics::flush(Store& store) {
  if (store.can_write()) store.counters().add_events(take_news());
}

}  // namespace cucore::cache
