# SPDX-License-Identifier: Apache-2.0
"""The pages of the course: each program of examples/ with the text that it prints on the CPU device."""
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from pages import ORPHAN
from reference import TITLES

LEXERS = {"c": "c", "cpp": "cpp", "python": "python", "java": "java", "csharp": "csharp"}


def environment(build, home):
    csharp = build / "bindings/csharp"
    return dict(os.environ, CUCORE_DRIVER="cpu", CUCORE_CPU_DEVICES="1", HOME=home, XDG_CACHE_HOME=f"{home}/.cache", LC_ALL="C.UTF-8",
                CUCORE_CPU=str(build / "src/cpu/driver/libcucore-cpu.so.0"), CUCORE_WORKER=str(build / "src/programs/worker/cucore-worker"),
                LD_LIBRARY_PATH=f"{build}/src/cucore:{build}/src/array:{build}/src/perf:{csharp}", PYTHONPATH=str(build / "bindings/python/package"),
                CLASSPATH=str(build / "bindings/java/cucore.jar"), MONO_PATH=str(csharp), PYTHONDONTWRITEBYTECODE="1")


def command(build, language, path):
    return {"c": [build / "examples" / f"example_{path.stem}"], "cpp": [build / "examples" / f"example_cpp_{path.stem}"],
            "python": ["/usr/bin/python3", path], "java": ["java", "-XX:TieredStopAtLevel=1", path],
            "csharp": ["mono", build / "bindings/csharp" / f"{path.stem}.exe"]}[language]


def output_of(build, language, path):
    """(the text that a program prints, None), or (None, the reason why it did not run)."""
    words = command(build, language, path)
    if language in ("c", "cpp", "csharp") and not words[-1].exists():
        return None, f"{path}: {words[-1]} is not built"
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(list(map(str, words)), cwd=home, env=environment(build, home), capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        printed = done.stdout.replace(home, "/tmp/example")
    if "cannot load NVRTC" in done.stdout + done.stderr:
        return None, "The machine that built this page has no compiler of CUDA C++."
    if done.returncode:
        return None, f"{path} returned {done.returncode}: {done.stderr[-800:]}"
    return printed, None


def heading(path):
    number, _, words = path.stem.partition("_")
    return f"{int(number)}. {words.replace('_', ' ').capitalize()}" if number.isdigit() else path.stem.replace("_", " ").capitalize()


def comment_of(text):
    """The first comment of a program after the licence."""
    text = re.sub(r"^(?:#|//|/\*) ?SPDX.*\n", "", text)
    match = re.search(r'"""(.*?)"""|/\*+(.*?)\*/|((?:^//.*\n)+)', text, re.S | re.M)
    if not match:
        return ""
    lines = (match[1] or match[2] or match[3]).splitlines()
    words = " ".join(" ".join(re.sub(r"^\s*(?://|\*)?", "", line) for line in lines if "SPDX" not in line).split())
    words = re.sub(r"^(?:[\w.]+ - )?\d\d: ", "", words)
    return words[:1].upper() + words[1:]


def page(path, language, printed, reason, others):
    text = path.read_text(encoding="utf-8")
    said = re.sub(r"([<>*_|\\])", r"\\\1", comment_of(text))
    same = " · ".join(f"[{TITLES[other]}](../{other}/{path.stem}.md)" for other in others)
    output = f"## Output\n\nOn the CPU device:\n\n```text\n{printed.rstrip()}\n```\n" if printed is not None else f"## Output\n\n{reason}\n"
    return (f"{ORPHAN}# {heading(path)} in {TITLES[language]}\n\n{said}\n\n" + (f"The same in {same}.\n\n" if same else "") +
            f"```{{code-block}} {LEXERS[language]}\n:caption: {path.name}\n\n{text.rstrip()}\n```\n\n{output}")


def make(root, build, stage, available):
    """Writes the pages of all languages, and returns the faults. available: the languages of this build."""
    programs = {language: sorted(path for path in (root / "examples" / language).iterdir() if path.is_file() and not path.name.startswith(".")) for language in TITLES}
    work = [(language, path) for language in TITLES for path in programs[language]]

    def run(item):
        language, path = item
        if language not in available:
            return None, "This build has no binding for the language."
        if path.stem == "dask_farm":
            return None, "The program needs a cluster of Dask."
        return output_of(build, language, path)
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        outputs = list(pool.map(run, work))
    faults = [reason for printed, reason in outputs if printed is None and reason.partition(" ")[0] not in ("This", "The")]
    stems = {language: {path.stem for path in programs[language]} for language in TITLES}
    for (language, path), (printed, reason) in zip(work, outputs):
        others = [other for other in TITLES if other != language and path.stem in stems[other]]
        stage.write(f"courses/{language}/{path.stem}", page(path, language, printed, reason, others))
    for language in TITLES:
        listed = "\n".join(f"- [{heading(path)}]({path.stem}.md)" for path in programs[language])
        stage.write(f"courses/{language}/index", f"# Course: {TITLES[language]}\n\nA test runs each of these programs.\n\n{listed}\n")
    return faults
