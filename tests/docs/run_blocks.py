# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of the pages of one part, on the CPU device: run_blocks.py ROOT BUILD PART

    c, cpp, python, java, csharp  the fragments in that language; around/ has the code around a fragment
    sh                            the shell blocks, in a folder with links to the build, the examples and saxpy.cuco
    PAGE                          a page, from top to bottom in an empty folder: its files, then its transcripts
    pages                         all pages with transcripts that are not a part of their own

With --update after PART, the transcripts of the pages are replaced by the text that the commands print.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from page import BLOCK, blocks, pages

ROOT, BUILD, PART = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
UPDATE = sys.argv[4:] == ["--update"]
HERE = Path(__file__).resolve().parent
OWN = {"c": ".c", "cpp": ".cpp", "python": ".py", "java": ".java", "csharp": ".cs", "sh": ".sh"}
SKIP = 77
MISSING = "cannot load NVRTC"
VARIES = re.compile(r"\d+(?:\.\d+)? (?:ms|s|bytes)\b|0x[0-9a-f]+|\(0x\w+\)|/[\w/.-]*/(?=cucore\b)|sm_\d+\)(?= has| took)")


def environment(folder):
    """Of a program that uses the build tree as an installed one. Blocks of a kernel run in order, as their messages show."""
    java, csharp = BUILD / "bindings/java/cucore.jar", BUILD / "bindings/csharp"
    given = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX")}  # of the build, not of a reader
    return dict(given, CUCORE_DRIVER="cpu", CUCORE_CPU_DEVICES="1", CUCORE_CPU_THREADS="1",
                HOME=str(folder), XDG_CACHE_HOME=str(folder / ".cache"),
                PATH=f"{BUILD}/src/programs/cli:/usr/bin:/bin:{os.environ['PATH']}", LD_LIBRARY_PATH=f"{BUILD}/src/cucore:{BUILD}/src/array:{BUILD}/src/perf:{csharp}",
                PKG_CONFIG_PATH=f"{BUILD}/pkgconfig", PYTHONPATH=str(BUILD / "bindings/python/package"), CLASSPATH=f"{java}:.",
                MONO_PATH=str(csharp), CUCORE_HOME=str(ROOT), LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")


def run(command, folder):
    return subprocess.run(command, cwd=folder, env=environment(folder), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=200, stdin=subprocess.DEVNULL, shell=isinstance(command, str))


def missing_compiler(text):
    if MISSING in text:
        print(text)
        sys.exit(SKIP)


def performed(transcript, folder):
    """Returns the transcript that its commands print now."""
    lines = []
    for command in re.findall(r"^\$ (.*(?:\\\n.*)*)", transcript, re.M):
        done = run(command, folder)
        missing_compiler(done.stdout)
        lines.append(f"$ {command}\n{done.stdout}")
    return "".join(lines)


def is_installed(tool):
    """TOOL, or PYTHON:MODULE. The programs of rustup fail without a toolchain, which they look up in the home folder."""
    program, _, module = tool.partition(":")
    if not shutil.which(program, path=environment(HERE)["PATH"]):
        return False
    tests = [["-c", f"import {module}"]] if module else [["--version"], ["version"]]
    with tempfile.TemporaryDirectory() as home:
        return any(subprocess.run([program, *words], env=environment(Path(home)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode == 0 for words in tests)


def without_numbers(text):
    """Sizes differ between compilers, times and addresses between runs."""
    return VARIES.sub("N", text)


def check_page(page):
    """Returns the faults of a page whose files and commands are performed in their order."""
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = page.read_text(encoding="utf-8")

        def perform(match):
            marker, value, is_transcript, body = match[1], match[2], match[3], match[5]
            if marker == "file":
                (folder / value).parent.mkdir(parents=True, exist_ok=True)
                (folder / value).write_text(body)
            if not is_transcript and (marker != "transcript needs" or not is_installed(value)):
                if marker == "transcript needs":
                    print(f"{page.relative_to(ROOT)}: a block is not run, because {value} is not installed")
                return match[0]
            printed = performed(body, folder)
            if without_numbers(printed) == without_numbers(body):
                return match[0]
            faults.append(f"{page.relative_to(ROOT)}: expected\n{body}\nprinted\n{printed}")
            return match[0].replace(f"\n{body}```", f"\n{printed}```")
        updated = BLOCK.sub(perform, text)
        if UPDATE:
            page.write_text(updated, encoding="utf-8")
    return faults


def fragments(language):
    return [block for page in pages(ROOT) for block in blocks(page) if block.language == language and not block.marker]


def make_clone(folder):
    """Makes a folder look like a clone after its build, and like one in which saxpy.cu was compiled."""
    (folder / "build").symlink_to(BUILD)
    (folder / "examples").symlink_to(ROOT / "examples")
    missing_compiler(run("cucore compile saxpy.cu --arch compute_80 -o saxpy.cuco", folder).stdout)


def program_of(block, language):
    """The code around a fragment: @DECLARATIONS@ takes functions and imports, @BLOCK@ statements."""
    if language == "sh":  # CI runs ./run; check_blocks.py compares the commands
        return re.sub(r"^(?:\./run|meson|ninja) .*\n", "", block.text, flags=re.M)
    around = (HERE / "around" / f"around{OWN[language]}").read_text()
    text = block.text
    imports = re.compile(r"^(?:#include .*|using [\w.]+;|import [\w.*]+;)\n", re.M) if language != "python" else re.compile(r"(?!)")
    heads = "".join(imports.findall(text))
    text = imports.sub("", text)
    is_declaration = re.match(r"(?:/\*\*.*?\*/\s*)?(?:public )?static [^;=]*\{$", text, re.M | re.S)
    parts = {"@HEADS@": heads, "@DECLARATIONS@": text if is_declaration else "", "@BLOCK@": "" if is_declaration else text}
    for mark, part in parts.items():
        around = re.sub(rf"^( *)(?:# )?{mark}$", lambda m: textwrap.indent(part, m[1]), around, flags=re.M)
    return around


def commands(language, source):
    binary = source.with_suffix(".exe")
    include, library = f"-I{ROOT}/include", [f"-L{BUILD}/src/cucore", "-lcucore"]
    return {
        "c": [["cc", "-std=gnu99", "-w", include, source, "-o", binary, *library], [binary]],
        "cpp": [["c++", "-std=c++17", "-w", include, source, "-o", binary, *library, "-pthread"], [binary]],
        "python": [["python3", source]],
        "java": [["java", source]],
        "sh": [["sh", "-eu", source]],
        "csharp": [["mcs", "-nologo", "-nowarn:0162,0168,0219", "-langversion:latest", f"-r:{BUILD}/bindings/csharp/Cucore.dll", "-unsafe", f"-out:{binary}", source],
                   ["mono", "--debug", binary]],
    }[language]


def check_fragment(block, language):
    """Returns the fault of one fragment, or None."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / f"Page{OWN[language]}"
        source.write_text(program_of(block, language), encoding="utf-8")
        (folder / "saxpy.cu").write_text((HERE / "around/saxpy.cu").read_text())
        if language == "sh":
            make_clone(folder)
        for command in commands(language, source):
            done = run(command, folder)
            missing_compiler(done.stdout)
            if done.returncode:
                return f"{block.place(ROOT)}: {command[0]} returned {done.returncode}\n{done.stdout}\n{block.text}"
    return None


def main():
    if PART in OWN:
        found = fragments(PART)
        faults = [fault for block in found if (fault := check_fragment(block, PART))]
    else:
        found = [ROOT / PART] if PART != "pages" else [page for page in pages(ROOT) if page.name == "README.md" or not page.parent.name == "tutorials"]
        faults = [fault for page in found for fault in check_page(page)]
    print("\n".join(faults))
    print(f"Ran {len(found)} tests in 0.0s\n\n" + (f"FAILED (failures={len(faults)})" if faults else "OK"))
    return 1 if faults and not UPDATE else 0


if __name__ == "__main__":
    sys.exit(main())
