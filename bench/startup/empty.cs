// SPDX-License-Identifier: Apache-2.0
static class Empty {
  static void Main() {}
}
