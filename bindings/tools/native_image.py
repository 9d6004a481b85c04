# SPDX-License-Identifier: Apache-2.0
"""The files that GraalVM's native-image reads from the jar: classes that native code reaches, and the native libraries."""
import json

# Classes of the platform that native code looks up by name, with the members that it calls.
OF_THE_PLATFORM = [
    {"name": "java.lang.Class", "methods": [{"name": "getSimpleName", "parameterTypes": []}]},
    {"name": "java.lang.Long", "methods": [{"name": "valueOf", "parameterTypes": ["long"]}]},
    {"name": "java.lang.Object"}, {"name": "java.lang.OutOfMemoryError"}, {"name": "java.lang.String"},
    {"name": "java.util.concurrent.Callable", "methods": [{"name": "call", "parameterTypes": []}]},
]


def classes(folder):
    """The names of all classes below a folder of class files."""
    for path in sorted(folder.rglob("*.class")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if not name.startswith("META-INF/") and path.stem not in ("module-info", "package-info"):
            yield name.replace("/", ".")


def write(folder, target):
    """Native code creates and reads objects of any class of the jar, so that all of them are reachable with their members."""
    target.mkdir(parents=True, exist_ok=True)
    rows = [{"name": name, "allDeclaredConstructors": True, "allDeclaredMethods": True, "allDeclaredFields": True} for name in classes(folder)]
    files = {"jni-config.json": OF_THE_PLATFORM + rows,
             "reflect-config.json": [{"name": "java.lang.Class", "methods": [{"name": "getRecordComponents", "parameterTypes": []}]}],
             "resource-config.json": {"resources": {"includes": [{"pattern": r"\Qnative/\E.*"}]}}}
    for name, value in files.items():
        (target / name).write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
