# SPDX-License-Identifier: Apache-2.0
"""The same in every language: each name of C with its members in the other languages.

Names of libcucore come from the generator of the bindings, which also uses them for messages. Names of arrays follow the
conventions of bindings/tools/array_members.py and array_csharp.py. A name counts if the language has such a member.
same.toml has the members that no convention leads to.
"""
import re
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

BINDINGS = {"python": "python", "java": "java", "csharp": "csharp"}
TABLE = Path(__file__).with_name("same.toml")


def spelled(root, language):
    """{name in C: the text that users of the language read in messages}."""
    tools = str(root / "bindings/tools")
    if tools not in sys.path:
        sys.path.insert(0, tools)
    import generate
    import spellings
    places = generate.read(str(root / "include/cucore.h"), language)[2]
    found = dict(spellings.all_of(places, generate.LANGUAGES[language]))
    for name in places.api.header.functions:
        text = places.text(name)
        if text and name not in found:
            found[name] = text
    try:
        import perf_model
    except ImportError:  # a version whose libcucore-perf has no bindings
        return found
    return {**perf_model.spellings(language), **found}


def candidates(text, language):
    """The members that a spelling may name, the closest first."""
    plain = re.sub(r"\(.*", "", text).removeprefix("new ").strip()
    constructor = f"{plain}.{plain.rpartition('.')[2]}"
    names = [constructor, plain] if text.startswith("new ") else [plain]
    part = {"python": "perf.", "java": "perf.", "csharp": "Perf."}[language]
    return names + [part + name for name in names]


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def of_arrays(name):
    """{language: members that an array function or operation may have}, with all that exist as the answer."""
    match = re.match(r"(?:cucore_array_|CUCORE_ARRAY_OP_)(\w+)$", name)
    if not match:
        return {}
    own = match[1].lower()
    part = re.match(r"(context|generator|random|linalg|fft)_(\w+)$", own)
    owner, own_name = (part[1], part[2]) if part else ("", own)
    upper = camel(own_name)
    lower = upper[0].lower() + upper[1:]
    found = {"python": [f"array.{own}", f"array.Array.{own}"], "java": [], "csharp": []}
    for each in ("NdArray", "Nd"):
        found["java"] += [f"{each}.{camel(own)[0].lower() + camel(own)[1:]}", f"{each}.get{camel(own)}"]
        found["csharp"] += [f"Arrays.{each}.{camel(own)}"]
    if owner:
        found["python"] += [f"array.{owner}.{own_name}", f"array.{owner.capitalize()}.{own_name}"]
        found["java"] += [f"{owner.capitalize()}.{lower}", f"{owner.capitalize()}.get{upper}"]
        found["csharp"] += [f"Arrays.{owner.capitalize()}.{upper}"]
    return found


def table():
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def reasons(root):
    """{(language, pattern of names in C): why the language has no such member}."""
    unreachable = tomllib.loads((root / "bindings/api/cucore.toml").read_text(encoding="utf-8"))["unreachable"]
    found = {(language, name): words for name, words in unreachable.items() for language in (*BINDINGS, "cpp") if language != "cpp" or name == "cucore_*_retain"}
    found["cpp", "cucore_*_release"] = "the destructor"
    found.update({(language, name): words for name, each in table()["none"].items() for language, words in each.items()})
    return found


def lacking(root, members, rows):
    """{function of C: {language without such a member: the reason, or None}}. Arrays and measurements have no header of C++."""
    known, found = reasons(root), {}
    only_in_c = "".join(path.read_text(encoding="utf-8") for path in (root / "include").glob("cucore_*.h"))
    for name in (member.name for member in members["c"] if member.kind == "function"):
        for language in (*BINDINGS, "cpp"):
            if language not in members or language in rows.get(name, {}) or language == "cpp" and re.search(rf"\b{name}\(", only_in_c):
                continue
            reason = next((words for (each, pattern), words in known.items() if each == language and fnmatchcase(name, pattern)), None)
            found.setdefault(name, {})[language] = reason
    return found


def faults(members, lacks):
    """What the table names and no language has, and the functions that a language lacks without a reason."""
    existing = {language: {member.name for member in found} for language, found in members.items()}
    return [f"{TABLE.name}: {language} has no member {each}" for language, named in table().items() if language in existing
            for names in named.values() for each in names if each not in existing[language]] + \
        [f"{name} has no member in {language}: add a row to tools/site/{TABLE.name}" for name, found in lacks.items()
         for language, reason in found.items() if reason is None]


def same(root, names_of_c, members):
    """Returns the members of each language for each name of C."""
    existing = {language: {member.name for member in found} for language, found in members.items()}
    rows = {name: {} for name in names_of_c}
    for language in BINDINGS:
        if not existing.get(language):
            continue
        for name, text in spelled(root, language).items():
            hits = [each for each in candidates(text, language) if each in existing[language]]
            if name in rows and hits:
                rows[name][language] = hits[:1]
        for name in rows:
            hits = [each for each in of_arrays(name).get(language, ()) if each in existing[language]]
            if hits:
                rows[name].setdefault(language, list(dict.fromkeys(hits)))
    for language, named in table().items():
        for name, others in named.items():
            if language in existing and name in rows:
                hits = [each for each in others if each in existing[language]]
                rows[name][language] = list(dict.fromkeys([*rows[name].get(language, ()), *hits]))
    for member in members.get("cpp", ()):
        owned = re.search(r"Owner<\w+, (cucore_\w+)>", member.signature) if member.kind == "class" else None
        if owned and owned[1] in rows:
            rows[owned[1]]["cpp"] = [member.name]
        for name in member.functions:
            if name in rows and member.name not in rows[name].setdefault("cpp", []) and len(rows[name]["cpp"]) < 4:
                rows[name]["cpp"].append(member.name)
    return {name: row for name, row in rows.items() if any(row.values())}


def inverse(rows):
    """{(language, member): names of C}."""
    found = {}
    for name, row in rows.items():
        for language, names in row.items():
            for each in names:
                found.setdefault((language, each), []).append(name)
    return found
