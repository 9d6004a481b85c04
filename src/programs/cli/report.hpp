// SPDX-License-Identifier: Apache-2.0
// What the command says when it is done or has failed: text for people, or one JSON object.
#pragma once

#include <cucore.h>

#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "json.hpp"

namespace cucore::cli {

// Whether --json was given; set before anything can fail.
bool wants_json();
void set_json(bool json);

// Prints one object to the standard output, what is no UTF-8 replaced.
void print_json(const Json& object);

// What was done, as text or, with --json, as an object; nothing if it is to be quiet.
void print_done(const std::string& text, const Json& object, bool quiet);

// Reports a failure: to stderr for people, with --json as an object on the standard output.
void report_failure(const Failure& failure);

// The failure as an object.
Json describe_failure(const Failure& failure);

// Warnings of a compile or link that went well: to stderr, unless they go into the JSON object.
void report_log(const cucore_objectcode* code);

// Kind, name, architecture and size.
Json describe_code(const cucore_objectcode* code);

Json describe_diagnostics(const std::vector<Diagnostic>& diagnostics);
Json describe_diagnostics(const cucore_objectcode* code);

// What is known of the signature of a file: state, key and algorithm.
Json describe_signature(const cucore_objectcode* code, std::string_view file);

// The same for people, of the object.
std::string signature_text(const Json& signature);

// "saxpy.cuco: CUBIN for sm_90, 4096 bytes, in a container"
std::string summary(const std::string& path, const cucore_objectcode* code, std::size_t size,
                    bool container);

}  // namespace cucore::cli
