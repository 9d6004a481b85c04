# SPDX-License-Identifier: Apache-2.0
"""Prints the folder of Python's packages below a prefix: install_folder.py PREFIX

If this Python searches a folder below the prefix, it is that folder.
"""
import sys
import sysconfig

PREFIX = sys.argv[1]
found = [path for path in sys.path if path.startswith(f"{PREFIX}/lib") and path.endswith("-packages")]
versioned = [path for path in found if f"python{sys.version_info[0]}.{sys.version_info[1]}" in path]
print((versioned or found or [sysconfig.get_path("platlib", "posix_prefix", {"base": PREFIX, "platbase": PREFIX})])[0])
