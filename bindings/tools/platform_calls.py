# SPDX-License-Identifier: Apache-2.0
"""Declarations of platform calls in C#."""


def imported(indent, declaration):
    """A platform call. From .NET 7 on the compiler makes its code, which trimming and compilation ahead of time require."""
    return ["#if NET7_0_OR_GREATER", f"{indent}[LibraryImport(Library)]", f"{indent}internal static partial {declaration};",
            "#else", f"{indent}[DllImport(Library)]", f"{indent}internal static extern {declaration};", "#endif"]
