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
#include <map>

#include "distinct.hpp"
#include "files.hpp"
#include "image.hpp"
#include "print.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "strings.hpp"
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
    print_failure(fmt::format("{}: {}", file, failure.what()), "", failure.log());
  }

  static void told(std::size_t index, std::size_t done, std::size_t count,
                   const cucore_error* failure, void* user_data) {
    auto& self = *static_cast<Watcher*>(user_data);
    if (failure) self.add(self.request.files[index], Failure(cucore_error_retain(failure)));
    self.bar.show(done, count);
  }
};

Json write_result(const ManyRequest& request, const std::string& file,
                  const cucore_objectcode* code) {
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
  done["log"] = cucore_objectcode_log(code);
  return done;
}

Json write_results(const ManyRequest& request, const std::vector<ObjectCode>& codes) {
  Json files = Json::array();
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (codes[i]) files.push_back(write_result(request, request.files[i], codes[i].get()));
  return files;
}

// Returns "24 programs: 3 built, 21 from the cache, 1.2 s".
std::string batch_summary(std::size_t programs, std::size_t failures, const Cache& cache,
                          std::chrono::duration<double> time) {
  cucore_cache_statistics_info info = CUCORE_CACHE_STATISTICS_INFO_INIT;
  if (cache) call(cucore_cache_statistics, cache.get(), &info);
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
  const auto names = pointers(flags.names);
  std::vector<Program> programs;
  std::vector<cucore_batch_item> items;
  for (const std::string& file : request.files) {
    programs.push_back(load_program(file, flags));
    items.push_back({programs.back().get(), request.target, 0, names.data(), names.size()});
  }
  Cache cache;
  if (request.use_cache)
    cache = make<Cache>(cucore_cache_open, static_cast<const cucore_cache_options*>(nullptr));
  Watcher watcher{request};
  cucore_batch_options options = CUCORE_BATCH_OPTIONS_INIT;
  options.workers = request.jobs;
  options.time_limit_ms =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(request.seconds * 1000ull, UINT32_MAX));
  options.cache = cache.get();
  options.report = Watcher::told;
  options.user_data = &watcher;
  std::vector<cucore_objectcode*> out(items.size());
  const auto start = std::chrono::steady_clock::now();
  call(cucore_program_compile_batch, static_cast<const cucore_batch_item*>(items.data()),
       items.size(), static_cast<const cucore_batch_options*>(&options), out.data(),
       static_cast<cucore_error**>(nullptr));
  const std::vector<ObjectCode> codes(out.begin(), out.end());
  watcher.bar.clear();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const Json done{{"folder", request.folder},
                  {"files", write_results(request, codes)},
                  {"failures", watcher.failures}};
  if (!request.quiet && !wants_json())
    print("{}\n", batch_summary(items.size(), watcher.failures.size(), cache, time));
  if (!watcher.failures.empty())
    throw failed(fmt::format("{} of {} files could not be compiled", watcher.failures.size(),
                             request.files.size()),
                 CUCORE_ERROR_COMPILATION)
        .with(done);
  if (wants_json() && !request.quiet) print_json(done);
}

}  // namespace cucore::cli
