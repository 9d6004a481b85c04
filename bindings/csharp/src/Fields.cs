// SPDX-License-Identifier: Apache-2.0
// Fills the native options by the names of their fields.
using System.Collections.Generic;

namespace Cucore {
/// <summary>Values with a name each, in order.</summary>
public sealed class NamedList<T> : List<KeyValuePair<string, T>> {
  /// <summary>Adds a value under its name.</summary>
  public void Add(string name, T value) { Add(new KeyValuePair<string, T>(name, value)); }

  /// <summary>The names.</summary>
  public override string ToString() { return string.Join(", ", ConvertAll(each => each.Key)); }
}

internal interface IFields {
  void SetText(string name, string? value);
  void SetNumber(string name, long value);
  void AddText(string name, string value);
}

internal static class Fields {
  internal static void Set(IFields native, string field, bool? choice) {
    if (choice.HasValue) native.SetNumber(field, (int)ToToggle(choice));
  }

  internal static void Set(IFields native, string field, bool flag) { native.SetNumber(field, flag ? 1 : 0); }

  internal static Toggle ToToggle(bool? choice) {
    return choice == null ? Toggle.Default : choice.Value ? Toggle.On : Toggle.Off;
  }

  internal static void Add(IFields native, string field, IEnumerable<string> texts) {
    if (texts == null) return;
    foreach (string text in texts) native.AddText(field, text);
  }

  internal static void Add(NativeCacheOptions native, string field, Key? key) { key?.AddTo(native, field); }

  internal static void Add(NativeCacheOptions native, string field, IEnumerable<Key> keys) {
    if (keys == null) return;
    foreach (Key key in keys) Add(native, field, key);
  }

  internal static void Add(NativeProgramOptions native, string field, IEnumerable<int> numbers) {
    if (numbers == null) return;
    foreach (int number in numbers) native.AddNumber(field, number);
  }

  internal static void Add(IFields native, string names, string texts, NamedList<string> all) {
    if (all == null) return;
    foreach (KeyValuePair<string, string> each in all) {
      native.AddText(names, each.Key);
      native.AddText(texts, each.Value);
    }
  }

  internal static void Add(NativeProgramOptions native, string names, string blobs, NamedList<byte[]> all) {
    if (all == null) return;
    foreach (KeyValuePair<string, byte[]> each in all) {
      native.AddText(names, each.Key);
      using (Pinned bytes = new Pinned(each.Value)) native.AddBytes(blobs, bytes.Address, each.Value == null ? 0 : each.Value.Length);
    }
  }
}
}
