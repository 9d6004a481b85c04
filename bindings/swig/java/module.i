// SPDX-License-Identifier: Apache-2.0
// The part after the sections, for Java.
