// SPDX-License-Identifier: Apache-2.0
class Empty {
  public static void main(String[] none) {}
}
