// SPDX-License-Identifier: Apache-2.0
// Compiles several files at once, each to a separate file.
#include "compile_many.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <cucore/batch.hpp>
#include <map>

#include "distinct.hpp"
#include "files.hpp"
#include "image.hpp"
#include "option_names.hpp"
#include "print.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "support/counted.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

std::string output_path(const ManyRequest& request, const std::string& file) {
  const std::string name = file_name(file);
  const std::size_t dot = name.rfind('.');
  return request.folder + "/" + name.substr(0, dot == 0 ? name.npos : dot) + request.suffix;
}

// Two sources with one name would produce the same file.
void require_own_outputs(const ManyRequest& request) {
  std::map<std::string, std::string> taken;
  for (const std::string& file : request.files) {
    const auto [at, is_new] = taken.emplace(output_path(request, file), file);
    if (!is_new)
      throw usage(fmt::format("{} and {} would both become {}", at->second, file, at->first));
  }
}

// Outputs with different names may still be one file.
void require_own_files(const ManyRequest& request, const CompileFlags& flags) {
  FileUse use = flags.files();
  use.inputs.insert(use.inputs.end(), request.files.begin(), request.files.end());
  for (const std::string& file : request.files) use.outputs.push_back(output_path(request, file));
  require_distinct(use);
}

// Prints failures as they occur, above the bar, or collects them for the JSON object.
struct Watcher {
  const ManyRequest& request;
  ProgressBar bar{"compiling"};
  Json failures = Json::array();

  void add(const std::string& file, const Failure& failure) {
    Json one{{"source", file}};
    one.update(describe_failure(failure));
    failures.push_back(one);
    if (wants_json()) return;
    bar.clear();
    print_failure(with_option_names(failure.about(file).what()), "", std::string(failure.log()));
  }

  void report(std::size_t index, std::size_t done, std::size_t count, const Error* failure) {
    if (failure) add(request.files[index], Failure(*failure));
    bar.show(done, count);
  }
};

Json write_result(const ManyRequest& request, const std::string& file, const ObjectCode& code) {
  const bool container = request.in_container;
  const std::string stored = container ? serialize(code, request.compress) : std::string();
  const std::string_view bytes = container ? stored : image_bytes(code);
  const std::string path = output_path(request, file);
  write_file(path, bytes);
  report_log(code);
  if (!request.quiet && !wants_json()) print("{}\n", summary(path, code, bytes.size(), container));
  Json done{
      {"source", file}, {"file", path}, {"file_size", bytes.size()}, {"container", container}};
  done.update(describe_code(code));
  done["diagnostics"] = describe_diagnostics(code);
  done["log"] = code.log();
  return done;
}

Json write_results(const ManyRequest& request, const std::vector<BatchResult>& results) {
  Json files = Json::array();
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].code) files.push_back(write_result(request, request.files[i], results[i].code));
  return files;
}

// Returns "24 programs: 3 built, 21 from the cache, 1.2 s".
std::string batch_summary(std::size_t programs, std::size_t failures, const Cache& cache,
                          std::chrono::duration<double> time) {
  const CacheStatistics info = cache ? cache.statistics() : CacheStatistics{};
  const std::uint64_t hits = info.hits_memory + info.hits_disk + info.hits_remote;
  const std::uint64_t built = programs - failures - std::min(programs - failures, hits);
  return fmt::format("{}: {} built{}{}, {:.1f} s", counted(programs, "program"), built,
                     cache ? fmt::format(", {} from the cache", programs - failures - built) : "",
                     failures ? fmt::format(", {} failed", failures) : "", time.count());
}

}  // namespace

void compile_many(const ManyRequest& request, const CompileFlags& flags) {
  require_own_outputs(request);
  require_own_files(request, flags);
  if (mkdir(request.folder.c_str(), 0777) != 0 && errno != EEXIST)
    throw failed(fmt::format("cannot make {}: {}", request.folder, std::strerror(errno)));
  std::vector<BatchItem> items;
  for (const std::string& file : request.files)
    items.push_back({load_program(file, flags), request.target, flags.names});
  Watcher watcher{request};
  BatchOptions options;
  options.workers = request.jobs;
  options.time_limit = std::chrono::seconds(request.seconds);
  if (request.use_cache) options.cache = Cache::open();
  options.report = [&](auto... event) { watcher.report(event...); };
  const auto start = std::chrono::steady_clock::now();
  const std::vector<BatchResult> results = Program::compile_batch(items, options);
  watcher.bar.clear();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const Json done{{"folder", request.folder},
                  {"files", write_results(request, results)},
                  {"failures", watcher.failures}};
  if (!request.quiet && !wants_json())
    print("{}\n", batch_summary(items.size(), watcher.failures.size(), options.cache, time));
  if (!watcher.failures.empty())
    throw failed(fmt::format("{} of {} files could not be compiled", watcher.failures.size(),
                             request.files.size()),
                 Status::compilation)
        .with(done);
  if (wants_json() && !request.quiet) print_json(done);
}

}  // namespace cucore::cli
