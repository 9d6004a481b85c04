// SPDX-License-Identifier: Apache-2.0
// The report of success or failure: text, or one JSON object.
#pragma once

#include <cucore/objectcode.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "json.hpp"

namespace cucore::cli {

// Returns whether --json was set; valid before any failure can occur.
bool wants_json();
void set_json(bool json);

// Returns whether --verbose was set: results show whole keys and digests.
bool wants_verbose();
void set_verbose(bool verbose);

// Prints one object to the standard output; bytes that are not UTF-8 are replaced.
void print_json(const Json& object);

// Reports the result as text or, with --json, as an object; prints nothing with --quiet.
void print_done(const std::string& text, const Json& object, bool quiet);

// Reports a failure: as text to stderr, or with --json as an object to the standard output.
void report_failure(const Failure& failure);

// Returns the failure as an object.
Json describe_failure(const Failure& failure);

// Prints the warnings of a successful compile or link to stderr, unless they are part of the JSON
// object.
void report_log(const ObjectCode& code);

// Returns kind, name, architecture and size.
Json describe_code(const ObjectCode& code);

Json describe_diagnostics(const std::vector<Diagnostic>& diagnostics);
Json describe_diagnostics(const ObjectCode& code);

// Returns the signature of a file: state, key and algorithm.
Json describe_signature(const ObjectCode& code, std::string_view file);

// Returns the same as text: "none", "valid, by Ed25519 key b804c23a7bfa8d71".
std::string signature_text(const Json& signature);

// Returns "CUBIN for sm_90" of an image that describe_code() described.
std::string image_title(const Json& image);

// Returns "saxpy.cuco: CUBIN for sm_90, 4096 bytes, in a container".
std::string summary(const std::string& path, const ObjectCode& code, std::size_t size,
                    bool container);

}  // namespace cucore::cli
