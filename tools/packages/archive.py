# SPDX-License-Identifier: Apache-2.0
"""Archives that have the same bytes in each build: sorted names, one date, no owner, no path of a machine."""
import gzip
import io
import tarfile
import zipfile

DATE = (2020, 1, 1, 0, 0, 0)
SECONDS = 1577836800  # the same date


def write_zip(path, files):
    """Writes files of the form {name: (bytes, mode)} in their order."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (data, mode) in files.items():
            info = zipfile.ZipInfo(name, DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (0o100000 | mode) << 16
            archive.writestr(info, data)


def write_tar_gz(path, files):
    """The same for a compressed tar file in the form of POSIX."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, SECONDS) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, (data, mode) in files.items():
                info = tarfile.TarInfo(name)
                info.size, info.mode, info.mtime = len(data), mode, SECONDS
                archive.addfile(info, io.BytesIO(data))


def read(path):
    """Returns the files of a zip or tar.gz archive in the form {name: (bytes, mode)}."""
    if str(path).endswith(".tar.gz"):
        with tarfile.open(path) as archive:
            return {m.name: (archive.extractfile(m).read(), 0o755 if m.mode & 0o100 else 0o644) for m in archive.getmembers() if m.isfile()}
    with zipfile.ZipFile(path) as archive:
        return {i.filename: (archive.read(i), 0o755 if i.external_attr >> 16 & 0o100 else 0o644)
                for i in archive.infolist() if not i.is_dir()}
