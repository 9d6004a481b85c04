#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a release: release.sh VERSION [--perform] [--build FOLDER]
#
# Without --perform it checks the preconditions and prints the steps and the release notes, and
# changes nothing. With --perform it
#   1. sets the version in every file of $places and in the public header,
#   2. moves the files of changes/ and the Unreleased entries of CHANGELOG.md to the version,
#   3. builds the library and freezes the ABI baseline,
#   4. commits, and tags the commit with the release notes. The tag is signed if git has the key of the user.
# It pushes and publishes nothing. Run `./run test` before it, and `./run release --check` after it.
set -eu
cd "$(dirname "$0")/.."

places="meson.build docs/csharp.md bindings/csharp/Cucore.csproj tests/gpu/python.sh examples/java/project/pom.xml examples/java/project/build.gradle"
header=include/cucore/version.h
build=build
perform=false
version=

die() { echo "release: $*" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --perform) perform=true ;;
    --build) [ $# -gt 1 ] || die "--build requires a folder"; build=$2; shift ;;
    -*) die "'$1' is not an option; expected --perform or --build FOLDER" ;;
    *) [ -z "$version" ] || die "expected one version, found '$version' and '$1'"; version=$1 ;;
  esac
  shift
done
[ -n "$version" ] || die "expected a version, for example 0.2.0"
echo "$version" | grep -Eqx '(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}' || die "'$version' is not a version; expected MAJOR.MINOR.PATCH"

old=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
[ "$version" != "$old" ] || [ -z "$(git tag -l "v*")" ] || die "$version is the current version"
[ "$(printf '%s\n' "$old" "$version" | sort -V | tail -1)" = "$version" ] || die "$version is lower than the current version $old"
[ -z "$(git tag -l "v$version")" ] || die "the tag v$version exists"
[ -z "$(git status --porcelain)" ] || die "the working tree has changes; commit or remove them"
for place in $places; do
  grep -qF "$old" "$place" || die "$place does not contain the version $old"
done

# The text of the Unreleased section, with the files of changes/.
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
python3 -B tools/changelog.py notes > "$notes" || { cat "$notes" >&2; die "a file of changes/ breaks a rule"; }
grep -q '^- ' "$notes" || die "CHANGELOG.md has no entry under Unreleased"

set_version() {
  pattern=$(echo "$old" | sed 's/\./\\./g')
  sed -i "s/$pattern/$version/g" $places
  number=$version
  for part in MAJOR MINOR PATCH; do
    sed -i "s/^\(#define CUCORE_VERSION_$part\) .*/\1 ${number%%.*}/" $header
    number=${number#*.}
  done
}

date_changelog() {
  python3 -B tools/changelog.py assemble
  sed -i "s/^## \[Unreleased\]$/&\n\n## [$version] - $(date -u +%Y-%m-%d)/" CHANGELOG.md
}

freeze_baseline() {
  ninja -C "$build" "src/cucore/libcucore.so.$version"
  python3 -B tests/abi/abi_baseline.py "$build/src/cucore/libcucore.so.$version" include --freeze
}

commit_and_tag() {
  if git config user.signingkey >/dev/null; then kind=-s; else kind=-a; fi
  git add -u
  git commit -q -m "release: $version"
  { echo "libcucore $version"; echo; cat "$notes"; } | git tag "$kind" "v$version" -F - --cleanup=verbatim
}

# step TEXT COMMAND: prints the text, and runs the command if the release is performed.
step() {
  echo "- $1"
  if $perform; then "$2"; fi
}

step "set the version $old to $version in $header and $places" set_version
step "move the files of changes/ and the Unreleased entries of CHANGELOG.md to $version" date_changelog
step "build src/cucore/libcucore.so.$version in $build and freeze tests/abi/baseline.abi" freeze_baseline
step "commit and tag v$version" commit_and_tag
if $perform; then
  echo "Push the branch and the tag v$version, then publish dist/, the jar and the NuGet package."
else
  printf '\nNothing was changed. Release notes:\n'
  cat "$notes"
fi
