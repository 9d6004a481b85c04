#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Code built for a newer instruction set must not define symbols that the linker could choose for all
# of the program. An inline function of the standard library, for example, would stop older processors.
# Usage: check_symbols.sh LIBRARY NAMESPACE
set -eu
found=$(nm -C "$1" 2>/dev/null | grep -E ' [WVu] ' | grep -v "cucore::cpu::$2::" || true)
defined=$(nm -C "$1" 2>/dev/null | grep -c "cucore::cpu::$2::" || true)
[ "$defined" -gt 0 ] || { echo "$1 defines nothing in cucore::cpu::$2"; exit 1; }
[ -z "$found" ] || { echo "$1 shares symbols:"; echo "$found"; exit 1; }
