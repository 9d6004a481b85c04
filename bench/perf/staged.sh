# SPDX-License-Identifier: Apache-2.0
# Sets up a run in a folder that stage_program of stage.sh has filled. The scripts of such a folder source it. `here` is the
# folder.

# enter_stage PROGRAM...: the folder must have the programs. Sets `out`, the folder of the results, and what the programs need.
# The program of this script has its name in the message.
enter_stage() {
  for program in "$@"; do
    [ -x "$here/$program" ] || { echo "${0##*/}: not in a stage: run it with 'stage' first" >&2; exit 2; }
  done
  out=${OUT:-$here/results}
  mkdir -p "$out"
  LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export LD_LIBRARY_PATH CUCORE_DRIVER="${CUCORE_DRIVER:-nvidia}"
  for program in "$@"; do
    ! ldd "$here/$program" | grep -q 'not found' || { LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$here/lib-spare"; break; }
  done
}
