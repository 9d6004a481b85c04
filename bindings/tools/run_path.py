# SPDX-License-Identifier: Apache-2.0
"""The run path of a native file: the folders in which the loader searches for the libraries that the file requires."""
import re
import subprocess


def of(file):
    """The run path, or None."""
    printed = subprocess.run(['env', 'LC_ALL=C', 'readelf', '-d', file], capture_output=True, text=True, check=True).stdout
    found = re.search(r'(?:RUNPATH|RPATH)\).*\[(.*)\]', printed)
    return found[1] if found else None


def look_beside(file):
    """Makes the file find the libraries in its own folder, and nowhere in the build tree."""
    path = of(file)
    if path is None:
        return
    old = path.encode()
    data = file.read_bytes()
    assert data.count(b'\0' + old + b'\0') == 1 and len(old) >= len(b'$ORIGIN'), 'no one run path'
    file.write_bytes(data.replace(b'\0' + old + b'\0', b'\0' + b'$ORIGIN'.ljust(len(old), b'\0') + b'\0'))
