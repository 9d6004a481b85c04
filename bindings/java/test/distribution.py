#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses what is published for Java: distribution.py FOLDER ROOT

FOLDER has cucore.jar, cucore-sources.jar, cucore-javadoc.jar and pom.xml. An image of jlink, Maven and Gradle build and run
examples/java/project from a local repository, without a network. Maven and Gradle are skipped where they are not installed.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

FOLDER, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
del sys.argv[1:3]
JAR = FOLDER / "cucore.jar"
RESULT = "[3.0, 6.0, 9.0, 12.0]"
MAVEN_OF_DEBIAN = Path("/usr/share/maven-repo")
CONFIGURATION = "META-INF/native-image/io.cucore/cucore/"


def run(*command, folder=None, **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CUCORE_") or k == "CUCORE_NVRTC"}
    kept.pop("LD_LIBRARY_PATH", None)
    done = subprocess.run(list(map(str, command)), cwd=folder, env=kept | {"CUCORE_DRIVER": "cpu"} | environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=250, check=False)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stdout}")
    return done.stdout


def line_of_page(start):
    """The one command of docs/java.md that begins so."""
    [line] = [line for line in (ROOT / "docs/java.md").read_text(encoding="utf-8").splitlines() if line.startswith(start)]
    return line


def names(jar):
    with zipfile.ZipFile(jar) as archive:
        return archive.namelist()


def read(name):
    with zipfile.ZipFile(JAR) as archive:
        return archive.read(name).decode()


class Programs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.project = self.folder / "project"
        shutil.copytree(ROOT / "examples/java/project", self.project)
        self.cache = {"XDG_CACHE_HOME": str(self.folder / "cache"), "HOME": str(self.folder)}

    def repository(self):
        folder = self.folder / "repository"
        command = shlex.split(line_of_page("python3 ").replace("../../..", str(ROOT)).replace("~", str(self.folder)))
        run(*command, folder=FOLDER)
        return folder

    def test_an_image_of_jlink(self):
        if not shutil.which("jlink") or not list(Path(shutil.which("java")).resolve().parents[1].glob("jmods/java.base.jmod")):
            self.skipTest("this JDK has no jlink or no modules")
        classes, image = self.folder / "classes", self.folder / "image"
        run("javac", "-Xlint:all", "-Werror", "-p", JAR, "-d", classes, *sorted((self.project / "src/main/java").rglob("*.java")))
        shutil.copy(JAR, self.folder)
        run(*shlex.split(line_of_page("jlink ")), folder=self.folder)
        self.assertEqual(run(image / "bin/hello", **self.cache).strip(), RESULT)
        self.assertIn("io.cucore@", run(image / "bin/java", "--list-modules"))

    def test_maven_without_a_network(self):
        if not shutil.which("mvn") or not (MAVEN_OF_DEBIAN / "org/apache/maven/plugins/maven-surefire-plugin").is_dir():
            self.skipTest("Maven or its plug-ins are not installed; Debian: maven, libsurefire-java")
        # Plug-ins of Debian by links, because Maven writes into its repository.
        local = self.folder / "m2"
        local.mkdir()
        run("cp", "-rs", *MAVEN_OF_DEBIAN.iterdir(), local)
        shutil.copytree(self.repository(), local, dirs_exist_ok=True)
        run("mvn", "-q", "-o", f"-Dmaven.repo.local={local}", "package", folder=self.project)
        path = f"{self.project / 'target/hello-1.jar'}:{JAR}"
        self.assertEqual(run("java", "-p", path, "-m", "hello/hello.Hello", **self.cache).strip(), RESULT)

    def test_gradle_without_a_network(self):
        if not shutil.which("gradle"):
            self.skipTest("Gradle is not installed; Debian: gradle")
        printed = run("gradle", "--offline", "--no-daemon", "-q", "-g", self.folder / "gradle", f"-Prepository={self.repository()}", "run",
                      folder=self.project, **self.cache)
        self.assertEqual(printed.strip().splitlines()[-1], RESULT)


class Contents(unittest.TestCase):
    def test_the_module_exports_the_public_packages(self):
        text = run("jar", "--describe-module", "--file", JAR)
        self.assertRegex(text, r"io\.cucore@\d+\.\d+\.\d+ ")
        self.assertEqual(sorted(re.findall(r"^exports (\S+)", text, re.M)), ["io.cucore", "io.cucore.array", "io.cucore.perf"])

    def test_the_sources_of_all_classes_are_packed(self):
        classes = {n.removesuffix(".class") for n in names(JAR) if n.endswith(".class") and "$" not in n and not n.startswith("META-INF")}
        sources = {n.removesuffix(".java") for n in names(FOLDER / "cucore-sources.jar") if n.endswith(".java")}
        self.assertGreater(len(sources), 100)
        # package-info has no class without annotations.
        self.assertEqual({n for n in sources if not n.endswith("package-info")}, {n for n in classes if not n.endswith("package-info")})

    def test_each_public_class_has_a_page(self):
        public = [n for n in names(JAR) if re.fullmatch(r"io/cucore/(?:array/|perf/)?\w+\.class", n)]
        shown = run("javap", "-cp", JAR, *(n.removesuffix(".class").replace("/", ".") for n in public))
        wanted = {n.replace(".", "/") + ".html" for n in re.findall(r"^public (?:\w+ )*(?:class|interface|enum) ([\w.]+)", shown, re.M)}
        pages = {n.removeprefix("io.cucore/") for n in names(FOLDER / "cucore-javadoc.jar")}
        self.assertGreater(len(wanted), 60)
        self.assertLessEqual(wanted, pages)

    def test_the_licences_are_in_each_jar(self):
        for jar in ("cucore.jar", "cucore-sources.jar", "cucore-javadoc.jar"):
            self.assertLessEqual({"META-INF/LICENSE", "META-INF/THIRD_PARTY.md"}, set(names(FOLDER / jar)))

    def test_the_pom_has_what_registries_require(self):
        root = ET.parse(FOLDER / "pom.xml").getroot()
        space = "{http://maven.apache.org/POM/4.0.0}"
        for path in ("name", "description", "url", "licenses/license/url", "developers/developer/name", "scm/connection", "scm/url"):
            self.assertTrue(root.findtext(space + path.replace("/", "/" + space)), path)
        self.assertEqual(root.findtext(f"{space}scm/{space}tag"), "v" + root.findtext(space + "version"))

    def test_native_images_contain_what_native_code_looks_up(self):
        rows = {row["name"]: row for row in json.loads(read(CONFIGURATION + "jni-config.json"))}
        texts = [p.read_text() for folder in ("native", "array/native", "perf/native") for p in (ROOT / "bindings/java" / folder).glob("*.?pp")]
        looked_up = {name.replace("/", ".") for text in texts for name in re.findall(r'FindClass\("([\w/$]+)"\)', text)}
        self.assertIn("io.cucore.CucoreException", looked_up)
        self.assertLessEqual(looked_up, rows.keys())
        methods = {m["name"] for row in rows.values() for m in row.get("methods", ())}
        mine = {m for jar in ("io.cucore.CucoreException", "io.cucore.Natives", "io.cucore.array.Patience", "io.cucore.perf.Works") for m in
                re.findall(r" (\w+)\(", run("javap", "-p", "-cp", JAR, jar))}
        called = {name for text in texts for name in re.findall(r'Get(?:Static)?MethodID\([^;"]*(?:FindClass\("[^"]*"\))?[^;"]*, "(\w+)"', text)}
        self.assertLessEqual(called - mine - {"getCPtr"}, methods)  # each class has getCPtr
        [pattern] = json.loads(read(CONFIGURATION + "resource-config.json"))["resources"]["includes"]
        self.assertEqual(pattern["pattern"], r"\Qnative/\E.*")


if __name__ == "__main__":
    unittest.main()
