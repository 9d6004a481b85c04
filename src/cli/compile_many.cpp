// Compiling many files at once, each to a file of its own.
#include "compile_many.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>

#include "files.hpp"
#include "image.hpp"
#include "progress_bar.hpp"
#include "strings.hpp"
#include "terminal.hpp"

namespace cucore::cli {
namespace {

std::string output_path(const ManyRequest& request, const std::string& file) {
  const std::string name = file_name(file);
  const std::size_t dot = name.rfind('.');
  return request.folder + "/" + name.substr(0, dot == 0 ? name.npos : dot) + request.suffix;
}

/// Two sources of one name would give one file.
void require_own_outputs(const ManyRequest& request) {
  std::map<std::string, std::string> taken;
  for (const std::string& file : request.files) {
    const auto [at, is_new] = taken.emplace(output_path(request, file), file);
    if (!is_new)
      throw usage(fmt::format("{} and {} would both become {}", at->second, file, at->first));
  }
}

/// Prints failures as they come, above the bar.
struct Watcher {
  const ManyRequest& request;
  ProgressBar bar{"compiling"};
  std::size_t failures = 0;

  static void told(std::size_t index, std::size_t done, std::size_t count,
                   const cucore_error* failure, void* user_data) {
    auto& self = *static_cast<Watcher*>(user_data);
    if (failure) {
      ++self.failures;
      self.bar.clear();
      print_failure(fmt::format("{}: {}", self.request.files[index], cucore_error_message(failure)),
                    "", cucore_error_log(failure));
    }
    self.bar.show(done, count);
  }
};

void write_results(const ManyRequest& request, const std::vector<ObjectCode>& codes) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (!codes[i]) continue;
    const std::string container =
        request.in_container ? serialize(codes[i].get(), request.compress) : std::string();
    const std::string_view bytes = container.empty() ? image_bytes(codes[i].get()) : container;
    const std::string path = output_path(request, request.files[i]);
    write_file(path, bytes);
    fmt::print(stderr, "{}", cucore_objectcode_log(codes[i].get()));
    if (request.quiet) continue;
    fmt::print("{}: {} for {}, {} bytes{}\n", path,
               type_name(cucore_objectcode_type(codes[i].get())),
               cucore_objectcode_arch(codes[i].get()), bytes.size(),
               container.empty() ? "" : ", in a container");
  }
}

}  // namespace

void compile_many(const ManyRequest& request, const CompileFlags& flags) {
  require_own_outputs(request);
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
  call(cucore_program_compile_batch, static_cast<const cucore_batch_item*>(items.data()),
       items.size(), static_cast<const cucore_batch_options*>(&options), out.data(),
       static_cast<cucore_error**>(nullptr));
  const std::vector<ObjectCode> codes(out.begin(), out.end());
  watcher.bar.clear();
  write_results(request, codes);
  if (watcher.failures != 0)
    throw failed(fmt::format("{} of {} files could not be compiled", watcher.failures,
                             request.files.size()));
}

}  // namespace cucore::cli
