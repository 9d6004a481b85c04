# SPDX-License-Identifier: Apache-2.0
"""Compares the stub of the type Array, and those of the module, with what exists."""
import ast
import sys
from pathlib import Path

import cucore.array as xp

folder = Path(xp.__file__).parent


def declared(name):
    body = ast.parse((folder / name).read_text()).body
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: {member.name if isinstance(member, ast.FunctionDef) else member.target.id for member in node.body
                           if isinstance(member, (ast.FunctionDef, ast.AnnAssign))} for node in body if isinstance(node, ast.ClassDef)}
    return functions, classes


functions, classes = declared("_array.pyi")
faults = [f"_array.{name} is declared only" for name in functions if not hasattr(xp._array, name)]
faults += [f"_array.{name} has no declaration" for name in vars(xp._array) if not name.startswith("__") and name not in functions | set(classes)]
for name, members in classes.items():
    own = {member for member in vars(getattr(xp._array, name)) if not member.startswith("_")}
    faults += [f"{name}.{member} is declared only" for member in members if not hasattr(getattr(xp._array, name), member)]
    faults += [f"{name}.{member} has no declaration" for member in own - members]
operations, _ = declared("_operations.pyi")
faults += [f"{name} has no declaration" for name in xp._operations.__all__ if name not in operations]
print("\n".join(faults))
sys.exit(bool(faults))
