// SPDX-License-Identifier: Apache-2.0
#include "cache/request.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "support/environment.hpp"

namespace cucore::cache {

using container::key_field;
using container::KeyTag;

namespace {

constexpr std::string_view PREFIXES[] = {"NVRTC_", "NVVM_", "LIBNVVM_", "NVJITLINK_", "EDG_"};

// Each lookup tests all variables of the environment. Nearly all differ from each prefix in the
// first three characters, so only the others are compared, and no length is computed. Two are not
// enough: an image of CUDA sets dozens of NV_ variables.
bool begins_like_a_prefix(const char* variable) {
  switch (variable[0]) {
    case 'N':
      return variable[1] == 'V' && (variable[2] == 'R' || variable[2] == 'V' || variable[2] == 'J');
    case 'L':
      return variable[1] == 'I' && variable[2] == 'B';
    case 'E':
      return variable[1] == 'D' && variable[2] == 'G';
    default:
      return false;
  }
}

bool is_read_by_compilers(const char* variable) {
  return begins_like_a_prefix(variable) &&
         std::ranges::any_of(PREFIXES, [&](std::string_view prefix) {
           return std::strncmp(variable, prefix.data(), prefix.size()) == 0;
         });
}

}  // namespace

std::vector<std::string> compiler_environment() {
  std::vector<std::string> found;
  each_variable([&](const char* variable) {
    if (is_read_by_compilers(variable)) found.emplace_back(variable);
  });
  std::ranges::sort(found);
  return found;
}

std::string current_directory() {
  char buffer[4096];
  return getcwd(buffer, sizeof buffer) ? buffer : "/";
}

Request request_of(const container::BuildInputs& inputs, const std::string& name_space) {
  Request request;
  request.inputs = &inputs;
  for (const std::string& variable : compiler_environment())
    request.extra.push_back(key_field(KeyTag::ENVIRONMENT, variable));
  if (inputs.files || inputs.uses_current_directory) request.directory = current_directory();
  if (inputs.uses_current_directory)
    request.extra.push_back(key_field(KeyTag::DIRECTORY, request.directory));
  if (!name_space.empty()) request.extra.push_back(key_field(KeyTag::NAME_SPACE, name_space));
  request.key = inputs.digest;
  if (request.extra.empty()) return request;  // the usual case: no second digest
  std::vector<container::KeyField> both = {key_field(KeyTag::SOURCE, inputs.digest)};
  both.insert(both.end(), request.extra.begin(), request.extra.end());
  request.key = container::digest_of(both);
  return request;
}

Request request_of(const container::Digest& key, const std::string& name_space) {
  Request request;
  request.extra = {key_field(KeyTag::USER, key)};
  if (!name_space.empty()) request.extra.push_back(key_field(KeyTag::NAME_SPACE, name_space));
  request.key = container::digest_of(request.extra);
  return request;
}

}  // namespace cucore::cache
