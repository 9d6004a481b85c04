#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sources for Mono's compiler: annotations of null become attributes, and lines keep their numbers."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import older

VALUES = older.VALUES | {'Status'}
# A line, and what Mono's compiler gets. N stands for the attribute.
LINES = {
    '#nullable enable': '',
    '// a comment about string? and x!.y': '// a comment about string? and x!.y',
    'public sealed class A {': '[C(1)] public sealed class A {',
    '  public string? Name { get; set; }': '  [N(2)] public string Name { get; set; }',
    '  public int? Count { get; }': '  public int? Count { get; }',
    '  public Status? Kind { get; }': '  public Status? Kind { get; }',
    '  public string F(B? b = null, int? n = null) {': '  public string F([N(2)] B b = null, int? n = null) {',
    '  public static B? F(A a, out B b) { return a ?? G(b!); }': '  [return: N(2)] public static B F(A a, out B b) { return a ?? G(b); }',
    '  public A(string? name, params string[]? all) {}': '  public A([N(2)] string name, [N(new byte[] { 2, 1 })] params string[] all) {}',
    '  public Task<B?> F() {': '  [return: N(new byte[] { 1, 2 })] public Task<B> F() {',
    '  public IDictionary<string, B?>? All { get; }': '  [N(new byte[] { 2, 1, 2 })] public IDictionary<string, B> All { get; }',
    '  public Span<int> F(ReadOnlySpan<byte> data, Key? key) {': '  public Span<int> F(ReadOnlySpan<byte> data, [N(2)] Key key) {',
    '  public KeyValuePair<string?, int>? Pair { get; }': '  [N(new byte[] { 0, 0, 2 })] public KeyValuePair<string, int>? Pair { get; }',
    '  public static implicit operator A(B? b) {': '  public static implicit operator A([N(2)] B b) {',
    '    bool is_null = a != b ? c!.D : !e;': '    bool is_null = a != b ? c.D : !e;',
    '    string? local = a?.B ?? c![0];': '    string local = a?.B ?? c![0];',
    '  public void F<T>(T[] all, A? a) where T : unmanaged {': '  public void F<T>(T[] all, [N(2)] A a) where T : struct {',
}


def main():
    shorten = lambda text: text.replace(older.NAMESPACE + 'NullableContext', 'C').replace(older.NAMESPACE + 'Nullable', 'N')
    made = [shorten(line) for line in older.older('\n'.join(LINES), VALUES, set()).split('\n')]
    wrong = [(line, got, wanted) for (line, wanted), got in zip(LINES.items(), made) if got != wanted]
    for line, got, wanted in wrong:
        print(f'{line}\n  becomes {got}\n  wanted  {wanted}')
    assert not wrong and len(made) == len(LINES)
    again = older.older('public partial class A {\n}\npublic partial class A {', VALUES, set())
    assert again.count('NullableContext') == 1, again  # the parts of a class are one
    print(f'{len(LINES)} lines')


main()
