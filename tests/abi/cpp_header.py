# SPDX-License-Identifier: Apache-2.0
"""cucore.hpp and each header of its topics are self-contained, and compile without a warning in every
mode and standard since C++17."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

INCLUDE = Path(sys.argv.pop(1))
TOPICS = sorted(INCLUDE.glob("cucore/*.hpp"))
STANDARDS = ["c++17", "c++20", "c++2b"]
MODES = {"exceptions": [], "results": ["-fno-exceptions", "-fno-rtti"], "chosen": ["-DCUCORE_HPP_NO_EXCEPTIONS"]}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-pedantic-errors", "-Wconversion", "-Wsign-conversion", "-Wshadow",
          "-Wundef", "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Werror", "-fsyntax-only"]
# Includes the header twice, with words that other headers define as macros.
SOURCE = """#define DEBUG 1
#define ERROR 1
#include <cucore.hpp>
#include <cucore.hpp>
struct Pair { float a, b; };
void use(cucore::Kernel &, cucore::Stream &, cucore::Buffer &, cucore::Cache &);
void use(cucore::Kernel &kernel, cucore::Stream &stream, cucore::Buffer &buffer, cucore::Cache &cache) {
  cucore::LaunchConfig config({1, 2}, 32);
  (void)kernel.launch(stream, config, 1.0f, 2, 'c', true, Pair{1, 2}, buffer, buffer.address(), nullptr);
  (void)kernel({4, 256}, stream)(buffer, 3u);
  auto typed = kernel.as<void(float, const float *, int &, Pair)>();
  (void)typed;
  (void)buffer.fill(1, stream);
  (void)cache.trim(1, [](const cucore::CacheEntry &entry) { return entry.is_sound; });
  (void)cache.verify([](const cucore::CacheEntry &) {}, nullptr);
  (void)cache.query([](const cucore::CacheEntry &) {});
  (void)cache.get_or_build({}, []() -> cucore::Returned<cucore::ObjectCode> { return cucore::ObjectCode(); });
  (void)cucore::call(cucore_stream_synchronize, stream.get());
  cucore::ProgramOptions options;
  options.lineinfo = true;
  (void)cucore::Program::create("", options);
#if __cplusplus >= 202002L
  (void)cucore::Program::create("", {.name = "a.cu", .arch = "sm_90", .lineinfo = true});
#endif
}
"""


class CppHeader(unittest.TestCase):
    def test_each_topic_compiles_alone(self):
        for topic in TOPICS:
            with self.subTest(topic=topic.name):
                result = subprocess.run(["g++", "-std=c++17", *STRICT, f"-I{INCLUDE}", "-x", "c++", "-"],
                                        input=f"#include <cucore/{topic.name}>\n", capture_output=True, text=True,
                                        check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_cucore_hpp_includes_every_topic(self):
        text = (INCLUDE / "cucore.hpp").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r'#include "cucore/(\w+\.hpp)"', text)), [topic.name for topic in TOPICS])

    def test_no_header_has_more_than_600_lines(self):
        self.assertGreater(len(TOPICS), 20)
        for path in (INCLUDE / "cucore.hpp", *TOPICS):
            self.assertLessEqual(len(path.read_text(encoding="utf-8").splitlines()), 600, path.name)


def add_test(compiler, standard, mode):
    def test(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "use.cpp"
            source.write_text(SOURCE)
            result = subprocess.run([compiler, f"-std={standard}", *STRICT, *MODES[mode], f"-I{INCLUDE}", source],
                                    capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr, "")
    setattr(CppHeader, f"test_{compiler}_{standard}_{mode}".replace("+", "p"), test)


for cxx in ("g++", "clang++"):
    if shutil.which(cxx):
        for std in STANDARDS:
            for kind in ("exceptions", "results"):
                add_test(cxx, std, kind)
        add_test(cxx, "c++17", "chosen")

if __name__ == "__main__":
    unittest.main()
