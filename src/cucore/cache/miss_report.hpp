// SPDX-License-Identifier: Apache-2.0
// The reason of a miss: compares the fields of a key with those of the last build of the same name.
#pragma once

#include <string>
#include <vector>

#include "cache/request.hpp"
#include "cache/statistics.hpp"
#include "cache/store.hpp"

namespace cucore::cache {

class MissReport {
 public:
  struct Reason {
    Event event = Event::MISSES_NEW;
    std::string text;  // lines for the user
  };

  MissReport(Store& store, Statistics& statistics) : store_(store), statistics_(statistics) {}

  // Stores the fields of a build, for the comparison with those of a later miss.
  void store_fields(const Request& request);
  Reason reason_of(const Request& request) const;
  void count(const Request& request);

 private:
  std::vector<container::KeyField> last_fields(const Request& request) const;

  Store& store_;
  Statistics& statistics_;
};

}  // namespace cucore::cache
