// SPDX-License-Identifier: Apache-2.0
// All parameters of a kernel or of a symbol: one call if they are few, else two.
#pragma once

#include <cucore.h>

#include <vector>

#include "failure.hpp"

namespace cucore::bind {

struct ParameterInfos : std::vector<cucore_parameter_info> {};

// Without an error object, if none is wanted.
template <class Function, class... Arguments>
cucore_status read_parameters(ParameterInfos& out, cucore_error** error, Function* function,
                              const Arguments&... arguments) {
  constexpr size_t MOST_KERNELS_HAVE_LESS = 24;
  out.assign(MOST_KERNELS_HAVE_LESS, CUCORE_PARAMETER_INFO_INIT);
  size_t count = 0;
  cucore_status status = function(arguments..., out.data(), out.size(), &count, nullptr);
  if (status != CUCORE_OK) {
    out.assign(count, CUCORE_PARAMETER_INFO_INIT);
    status = function(arguments..., out.data(), count, &count, error);
  }
  out.resize(status == CUCORE_OK ? count : 0);
  return status;
}

template <class Function, class... Arguments>
ParameterInfos parameters_of(Function* function, const Arguments&... arguments) {
  ParameterInfos infos;
  cucore_error* error = nullptr;
  const cucore_status status = read_parameters(infos, &error, function, arguments...);
  if (status != CUCORE_OK) throw Failure(status, error);
  return infos;
}

}  // namespace cucore::bind
