# SPDX-License-Identifier: Apache-2.0
"""A second reader of .cuco files, written from the page of the format alone."""
import hashlib
import hmac
import json
import struct
import sys

NAMES = {16: "PTX", 17: "CUBIN", 18: "LTOIR", 19: "FATBIN", 20: "OBJECT", 21: "LIBRARY"}
STRTAB, SYMTAB, PARAMS, META, LOG, DEPS, KEY, SOURCE, SIG = 1, 2, 3, 4, 5, 6, 7, 8, 15


def need(condition, why):
    if not condition:
        raise ValueError(why)


def section_digest(data, has_parts):
    sha = lambda part: hashlib.sha256(part).digest()
    parts = (sha(data[at:at + 2**20]) for at in range(0, len(data), 2**20))
    return sha(b"".join(parts)) if has_parts and len(data) > 2**23 else sha(data)


def table(data):
    need(data[:8] == b"\x89CUCO\r\n\x1a", "magic")
    major, _, head, size, count, entry, incompatible, _ = struct.unpack_from("<HHIQIIII", data, 8)
    need((major, head, entry) == (1, 64, 96) and incompatible in (0, 1), "version")
    need(size == len(data) and count <= 4096 and data[56:64] == bytes(8), "header")
    end = 64 + 96 * count
    need(end <= size, "table")
    signed = data[:40] + bytes(16) + data[56:end]
    need(hashlib.sha256(signed).digest()[:16] == data[40:56], "checksum")
    sections = []
    for at in range(64, 64 + 96 * count, 96):
        f = struct.unpack_from("<IHBBHHIQQQII32s16s", data, at)
        keys = "type arch arch_flags compression isa toolkit flags offset stored raw name alignment digest zero"
        s = dict(zip(keys.split(), f))
        may_skip, s["type"] = s["type"] >> 31, s["type"] & 0x7FFFFFFF
        need(may_skip or s["type"] in (*range(1, 9), SIG, *NAMES), "unknown section")
        need(s["flags"] == 0 and s["alignment"] == 64 and s["zero"] == bytes(16), "entry")
        need(s["compression"] in (0, 1) and s["raw"] <= min(2**30, 1000 * s["stored"]), "sizes")
        need(s["compression"] or s["raw"] == s["stored"], "stored size")
        need(s["offset"] == (end + 63) // 64 * 64, "place")
        need(not any(data[end:s["offset"]]), "gap")
        end = s["offset"] + s["stored"]
        s["data"] = data[s["offset"]:end]
        want = bytes(32) if s["type"] == SIG else section_digest(s["data"], incompatible)
        need(s["digest"] == want, "digest")
        sections.append(s)
    need(end == size, "end")
    need(not incompatible or any(s["stored"] > 2**23 for s in sections), "features")
    return sections, signed


def string(strtab, offset):
    return strtab[offset:strtab.index(0, offset)].decode()


def arch(s):
    flags, number = s["arch_flags"], s["arch"]
    prefix, suffix = "compute_" if flags & 1 else "sm_", "a" if flags & 2 else "f" if flags & 4 else ""
    return f"{prefix}{number}{suffix}" if number else ""


def symbols(section, find, strtab, index):
    params = [struct.unpack_from("<IIII", find(PARAMS), 16 * i) for i in range(len(find(PARAMS)) // 16)]
    need(all(parameter_class <= 4 for *_, parameter_class in params), "class of a parameter")
    result = []
    for record in struct.iter_unpack("<IIIHHQII", find(SYMTAB)):
        expression, name, owner, kind, _, size, first, count = record
        if owner == index:
            own = None if count == 0xFFFFFFFF else [list(p) for p in params[first:first + count]]
            result.append([string(strtab, expression), string(strtab, name), kind, size, own])
    return result


def read(data, hmac_key):
    sections, signed = table(data)
    by_type = {s["type"]: s for s in sections}
    find = lambda kind: by_type[kind]["data"] if kind in by_type else b""
    text = lambda kind: None if kind in by_type and by_type[kind]["compression"] else find(kind).decode()
    strtab, images = find(STRTAB), []
    for index, s in enumerate(sections):
        if s["type"] in NAMES:
            digest = None if s["compression"] else hashlib.sha256(s["data"]).hexdigest()
            images.append({"type": NAMES[s["type"]], "arch": arch(s), "isa": s["isa"], "toolkit": s["toolkit"],
                           "name": string(strtab, s["name"]), "sha256": digest,
                           "symbols": symbols(s, find, strtab, index)})
    dependencies = [[string(strtab, path), size, sha.hex()] for path, _, size, sha in struct.iter_unpack("<IIQ32s", find(DEPS))]
    fields, at, key = [], 32, find(KEY)
    while at < len(key):
        tag, _, length = struct.unpack_from("<HHI", key, at)
        fields.append([tag, key[at + 8:at + 8 + length].hex()])
        at += 8 + (length + 7) // 8 * 8
    signature = find(SIG)[0] if find(SIG) else None
    need(signature in (None, 1, 2) and len(find(SIG)) in (0, 80) and not any(find(SIG)[1:8]), "signature")
    if signature == 1:
        need(hmac.new(hmac_key, signed, "sha256").digest() + bytes(32) == find(SIG)[16:], "signature")
        need(hashlib.sha256(b"\x01" + hmac_key).digest()[:8] == find(SIG)[8:16], "key id")
    return {"images": images, "metadata": json.loads(find(META) or b"{}"), "log": text(LOG),
            "source": text(SOURCE) if SOURCE in by_type else None, "dependencies": dependencies,
            "key": key[:32].hex() if key else None, "fields": fields, "signature": signature}


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            print(json.dumps(read(file.read(), b"a secret that a team shares")))
