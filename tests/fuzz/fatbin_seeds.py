# SPDX-License-Identifier: Apache-2.0
"""Writes small well-formed fat binaries as seeds: stored, LZ4 and zstd entries made by hand."""
import pathlib
import struct
import sys

TEXT = b".version 8.0\n.target sm_90\n.address_size 64\n" + b"// padding\n" * 4


def lz4(text):
    """One LZ4 sequence of literals only."""
    rest = len(text) - 15
    lengths = bytes([255] * (rest // 255) + [rest % 255])
    return bytes([0xF0]) + lengths + text


def zstd(text):
    """A zstd frame with one raw block: content size of two bytes, single segment."""
    header = struct.pack("<IBH", 0xFD2FB528, 0x60, len(text) - 256 if len(text) >= 256 else 0)
    if len(text) < 256:
        header = struct.pack("<IBB", 0xFD2FB528, 0x20, len(text))
    block = len(text) << 3 | 1
    return header + struct.pack("<I", block)[:3] + text


def entry(payload, kind, target, flags, size):
    padded = payload + b"\0" * (-len(payload) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(padded), len(payload), 0, 0, 9,
                       target, 0, 0, flags, 0, size) + padded


def fatbin(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def write(folder):
    stored = entry(TEXT, 1, 75, 0x11, 0)
    seeds = {
        "stored": fatbin(stored),
        "lz4": fatbin(entry(lz4(TEXT), 1, 90, 0x2011, len(TEXT))),
        "zstd": fatbin(entry(zstd(TEXT), 1, 90, 0x8011, len(TEXT))),
        "several": fatbin(stored, entry(b"\x7fELF", 2, 90, 0x11, 0),
                          entry(zstd(TEXT), 1, 80, 0x8011, len(TEXT))),
        "empty": fatbin(),
        "payload_lz4": b"\x01" + struct.pack("<H", len(TEXT)) + b"\0" + lz4(TEXT),
        "payload_zstd": b"\x00" + struct.pack("<H", len(TEXT)) + b"\0" + zstd(TEXT),
        "text": b"/* note */ // x\n" + TEXT,
    }
    for name, data in seeds.items():
        (pathlib.Path(folder) / name).write_bytes(data)
