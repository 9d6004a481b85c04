// SPDX-License-Identifier: Apache-2.0
module hello {
  requires io.cucore;
}
