// SPDX-License-Identifier: Apache-2.0
// The options and inputs of the links of nvJitLink that are in progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/driver/compat/real_library.hpp"

namespace cucore::compat {

struct LinkInput {
  int type;  // an nvJitLinkInputType
  std::string bytes;
  std::string name;
  bool is_file;  // `name` is the path, and `bytes` is empty
};

struct LinkRecord {
  std::vector<std::string> options;
  std::vector<LinkInput> inputs;
};

class LinkRecords {
 public:
  static LinkRecords& instance();

  void begin(void* link, uint32_t count, const char** options);
  void add(void* link, LinkInput input);
  void end(void* link);
  // Gives the PTX of a complete link to the CPU device.
  void remember(void* link, const void* cubin, RealLibrary& nvjitlink);

 private:
  std::shared_ptr<LinkRecord> find(void* link);

  std::mutex mutex_;
  std::map<void*, std::shared_ptr<LinkRecord>> links_;
};

}  // namespace cucore::compat
