// SPDX-License-Identifier: Apache-2.0
// What comes behind the sections in Java.
