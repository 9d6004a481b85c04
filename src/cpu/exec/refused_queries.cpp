// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/refused_queries.hpp"

#include "cpu/exec/fault.hpp"
#include "cpu/exec/program.hpp"

namespace cucore::cpu {

using ptx::Mode;
using ptx::Opcode;

// An H200 with a driver of CUDA 13.0 runs queries of sizes alone. A kernel with another query of a
// texture is not found, also if no thread reaches the query.
QueryRefusal refusal_of(const ptx::Form& form) {
  const bool is_of_texture = form.op == Opcode::txq;
  if ((!is_of_texture && form.op != Opcode::suq) || form.mode <= Mode::depth)
    return QueryRefusal::NONE;
  return is_of_texture ? QueryRefusal::KERNEL : QueryRefusal::MODULE;
}

RefusedQuery RefusedQuery::of(const DecodedFunction& function) {
  RefusedQuery found;
  const auto& instructions = function.source->instructions;
  for (size_t i = 0; i < instructions.size(); ++i)
    if (const QueryRefusal refusal = refusal_of(*instructions[i].form); refusal > found.refusal)
      found = {refusal, &function, i};
  return found;
}

std::string RefusedQuery::text(const std::string& kernel) const {
  const char* const effect = refusal == QueryRefusal::MODULE
                                 ? "drivers for GPUs refuse a module"
                                 : "drivers for GPUs do not find a kernel";
  return "kernel '" + shown_name(kernel) + "' uses the query '" +
         shown_instruction(*function, index) + "' at " + place_text(*function, index, false) +
         "; " + effect + " with this query, so pass the value as a parameter";
}

}  // namespace cucore::cpu
