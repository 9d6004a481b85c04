# SPDX-License-Identifier: Apache-2.0
"""A new chroot with the Debian release of this machine, and the tutorials in it. It has no file of the source tree."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
               "CUCORE_DRIVER": "cpu", "CUCORE_NVRTC": "/opt/nvrtc/libnvrtc.so.13"}
INSTALL = "apt-get install -y -q --no-install-recommends "


def version():
    return re.search(r"^  version: '(.*)',$", (ROOT / "meson.build").read_text(encoding="utf-8"), re.M)[1]


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def sources():
    """Returns the lines of Debian in apt's sources, and the code name of the release."""
    if not shutil.which("apt-get"):
        skip("this machine has no apt")
    release = re.search(r"^VERSION_CODENAME=(\S+)$", Path("/etc/os-release").read_text(encoding="utf-8"), re.M)
    listed = subprocess.run(["apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)", "Identifier: Packages",
                             "Origin: Debian"], check=True, capture_output=True, text=True).stdout
    if not release or not listed:
        skip("apt has no sources of Debian; 'apt-get update' reads them")
    return "".join(f"{line}\n" for line in sorted(set(listed.splitlines()))), release[1]


class Chroot:
    def __init__(self, folder):
        self.folder = folder

    def run(self, command, directory="/", **variables):
        """Runs a command of the shell in the chroot, and returns what it prints."""
        done = subprocess.run(["chroot", self.folder, "sh", "-ec", f"cd {directory}; {command}"], env=ENVIRONMENT | variables, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit(f"FAILED: {command}\n{done.stdout}")
        return done.stdout

    def require(self, command, expected, directory="/", **variables):
        printed = self.run(command, directory, **variables)
        if expected not in printed:
            sys.exit(f"FAILED: {command}\nexpected: {expected}\nprinted: {printed}")
        print(f"ok: {command}")

    def place(self, path):
        return self.folder / path.lstrip("/")


def tutorial(chroot, language, **variables):
    """Runs the commands of a tutorial up to its first mistake, and compares what they print."""
    text = (ROOT / f"docs/tutorials/{language}.md").read_text(encoding="utf-8")
    folder = f"/programs/{language}"
    chroot.place(folder).mkdir(parents=True)
    for name, content in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.S):
        (chroot.place(folder) / name).write_text(content, encoding="utf-8")
    count = 0
    for block in re.findall(r"<!-- transcript -->\n```console\n(.*?)```", text, re.S):
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            if "sed " in command:
                assert count, f"the tutorial of {language} has no command before its first mistake"
                return
            chroot.require(command, printed, folder, **variables)
            count += 1


def make(script, files, cuda):
    """Runs SCRIPT FILES CUDA ROOT in the hook that follows the bootstrap. ROOT has the files in /packages, and NVRTC in /opt/nvrtc."""
    if os.geteuid() != 0:
        skip("only root can make a chroot")
    if not shutil.which("mmdebstrap"):
        skip("mmdebstrap is not installed")
    listed, release = sources()
    compilers = sorted((cuda / "lib64").glob("libnvrtc*.so.1*")) or sorted((cuda / "lib").glob("libnvrtc*.so.1*"))
    if not compilers:
        skip(f"{cuda} has no NVRTC, which the tutorials require")
    with tempfile.TemporaryDirectory() as folder:
        hook = " ".join(map(str, [sys.executable, "-B", Path(script).resolve(), files[0].resolve().parent, cuda]))
        subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", release, Path(folder) / "root",
                        "--customize-hook=mkdir -p \"$1/packages\" \"$1/opt/nvrtc\" \"$1/programs\"",
                        "--customize-hook=copy-in " + " ".join(str(path.resolve()) for path in files) + " /packages",
                        "--customize-hook=copy-in " + " ".join(str(path.resolve()) for path in compilers) + " /opt/nvrtc",
                        f"--customize-hook={hook} \"$1\""],
                       input=listed, text=True, check=True)
